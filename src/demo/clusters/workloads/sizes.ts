/** Resources of the containers of an application by environment, in the clusters and in the overlays of the gitops repository. */
export const sizes = {
  dev: { requests: { cpu: '50m', memory: '64Mi' }, limits: { cpu: '250m', memory: '128Mi' } },
  staging: { requests: { cpu: '200m', memory: '256Mi' }, limits: { cpu: '1', memory: '1Gi' } },
  production: { requests: { cpu: '500m', memory: '512Mi' }, limits: { cpu: '2', memory: '2Gi' } },
} as const
