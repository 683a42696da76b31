import type { EntityRow } from './entity.ts'
import { file, yaml } from './file.ts'

export const entities = [
  {
    kind: 'Group',
    name: 'platform-team',
    title: 'Platform team',
    description: 'Runs the clusters, the pipelines and this portal',
    spec: { type: 'team', profile: { email: 'platform@acme.example' }, children: [] },
  },
  {
    kind: 'Domain',
    name: 'commerce',
    title: 'Commerce',
    description: 'Selling things and getting them to people',
    spec: {},
  },
] as const satisfies readonly EntityRow[]

const README = `# acme/gitops

The catalog and the applications of acme. The developer portal reads this repository, and Argo CD applies it.

| folder | content | who changes it |
|---|---|---|
| \`catalog/{team}/\` | components, systems, APIs, resources and groups, with their owners | the team |
| \`apps/{team}/{app}/base/\` | what the application needs in all environments; the image has no tag | the team |
| \`apps/{team}/{app}/overlays/{env}/\` | differences per environment, and the image tag | promotion; CI for the image tag |

The environments are \`dev\`, \`staging\` and \`production\`. A component moves up by a pull request that adds the
overlay of the next environment. After the merge, confirm the promotion in the portal, which then writes \`spec.lifecycle\`.

    kubectl kustomize apps/payments/payments-api/overlays/dev
`

const CODEOWNERS = `*                   @acme/platform-team
/catalog/payments/  @acme/payments
/catalog/shipping/  @acme/shipping
`

const SOURCE = { repoURL: 'https://git.acme.example/acme/gitops.git' }

const appSet = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'ApplicationSet',
  metadata: { name: 'tenant-apps', namespace: 'argocd' },
  spec: {
    goTemplate: true,
    generators: [
      { git: { ...SOURCE, revision: 'main', directories: [{ path: 'apps/*/*/overlays/*' }] } },
    ],
    template: {
      metadata: {
        name: '{{index .path.segments 1}}-{{index .path.segments 2}}-{{.path.basename}}',
      },
      spec: {
        project: 'tenants',
        source: { ...SOURCE, targetRevision: 'main', path: '{{.path.path}}' },
        destination: { name: '{{.path.basename}}', namespace: 'crossplane-tenants' },
        syncPolicy: { automated: { prune: true, selfHeal: true } },
      },
    },
  },
}

export const files = [
  file('README.md', README),
  file('CODEOWNERS', CODEOWNERS),
  file('argocd/appset.yaml', yaml(appSet)),
]
