import { VERSION } from '../../version.ts'
import type { EntityRow } from './entity.ts'
import { file } from './file.ts'

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
| \`apps/{team}/{app}/overlays/{env}/\` | differences per environment, and the image tag | promotions and releases; CI for the image tag |

The environments are \`dev\`, \`staging\` and \`production\`. A component moves up by a pull request that adds the
overlay of the next environment. After the merge, confirm the promotion in the portal, which then writes \`spec.lifecycle\`.
What is live already changes by a release: a pull request too, with nothing to confirm.

    kubectl kustomize apps/payments/payments-api/overlays/dev

\`.github/workflows/validate.yaml\` checks the catalog in each pull request, with the image that the portal runs.
`

const CODEOWNERS = `*                   @acme/platform-team
/catalog/payments/  @acme/payments
/catalog/shipping/  @acme/shipping
`

const VALIDATE = `name: validate

on:
  pull_request:
  push:
    branches: [main]

permissions:
  contents: read

jobs:
  catalog:
    runs-on: ubuntu-24.04
    timeout-minutes: 5
    steps:
      - uses: actions/checkout@v7.0.1
        with:
          persist-credentials: false
      - run: docker run --rm --volume "$PWD:/checkout:ro" --workdir /checkout registry.example.org/portico:${VERSION} validate --format github .
`

export const workflow = file('.github/workflows/validate.yaml', VALIDATE)

export const files = [file('README.md', README), file('CODEOWNERS', CODEOWNERS)]
