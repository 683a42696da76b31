/** Namespaces of every cluster and of what platforms run. `*` stands for any characters at one end. */
export const RESERVED_NAMESPACES = [
  'kube-*',
  'default',
  '*-system',
  'argocd',
  'crossplane',
  'vault',
  'cert-manager',
  'ingress-nginx',
  'istio-*',
  'monitoring',
] as const
