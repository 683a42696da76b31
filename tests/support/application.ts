import { baseKustomization, tenantApp } from '#src/lib/domain/gitops/application.ts'
import { toYaml } from '#src/lib/yaml/write.ts'
import { AppName, TeamName } from '#src/lib/names.ts'

export interface ApplicationFacts {
  readonly app?: string
  readonly team?: string
  readonly lifecycle?: string
  readonly owner?: string
  readonly database?: boolean
}

/** The entity and the base of an application, as a scaffold leaves them. */
export function applicationFiles({
  app = 'shop',
  team = 'payments',
  lifecycle = 'experimental',
  owner = `group:acme/${team}`,
  database = false,
}: ApplicationFacts = {}): Readonly<Record<string, string | Uint8Array>> {
  const facts = {
    app: AppName.of(app),
    team: TeamName.of(team),
    namespace: `${team}-dev`,
    image: `ghcr.io/acme/${app}`,
    features: { database, externalSecrets: true, ingress: true },
  }
  return {
    [`catalog/${team}/components/${app}.yaml`]: `# ${app} # of ${team}
apiVersion: portico/v1
kind: Component
metadata:
  name: ${app}
spec:
  type:   service   # the spaces stay
  lifecycle: ${lifecycle} # so does this
  owner: "${owner}"
`,
    [`apps/${team}/${app}/base/kustomization.yaml`]: toYaml(baseKustomization(facts)),
    [`apps/${team}/${app}/base/xtenant-app.yaml`]: toYaml(
      tenantApp('platform.example.org/v1alpha1', facts),
    ),
  }
}
