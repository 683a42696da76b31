import type { AppName, TeamName } from '../../names.ts'

export const KUSTOMIZATION = {
  apiVersion: 'kustomize.config.k8s.io/v1beta1',
  kind: 'Kustomization',
} as const

export interface Features {
  readonly database: boolean
  readonly externalSecrets: boolean
  readonly ingress: boolean
}

export interface NewApplication {
  readonly app: AppName
  readonly team: TeamName
  readonly namespace: string
  /** Without a tag: that belongs to the overlays. */
  readonly image: string
  readonly features: Features
}

/** The name of an application's composite, the same in its base and in every overlay's patch. */
export const compositeName = (team: TeamName, app: AppName): string => `${team}-${app}`

export const baseKustomization = ({ app, team }: Pick<NewApplication, 'app' | 'team'>) => ({
  ...KUSTOMIZATION,
  resources: ['xtenant-app.yaml'],
  labels: [{ pairs: { 'app.kubernetes.io/name': app, 'portico/team': team } }],
})

/** The Crossplane composite from which the platform makes an application. */
export const tenantApp = (
  apiVersion: string,
  { app, team, namespace, image, features }: NewApplication,
) => ({
  apiVersion,
  kind: 'XTenantApp',
  metadata: { name: compositeName(team, app) },
  spec: {
    parameters: {
      appName: app,
      owner: team,
      namespace,
      image,
      containerPort: 8080,
      replicas: 1,
      resources: {
        requests: { cpu: '50m', memory: '64Mi' },
        limits: { cpu: '250m', memory: '128Mi' },
      },
      ingress: { enabled: features.ingress },
      externalSecrets: { enabled: features.externalSecrets },
      database: features.database ? { enabled: true, tier: 'shared' } : { enabled: false },
    },
  },
})
