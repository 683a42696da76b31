import { describe, expect, test } from 'bun:test'
import { baseKustomization, tenantApp } from '#src/lib/domain/gitops/application.ts'
import { toYaml } from '#src/lib/yaml/write.ts'
import { AppName, TeamName } from '#src/lib/names.ts'
import { kubectl } from '#tests/support/kubectl.ts'
import { kustomize } from '#tests/support/kustomize.ts'

const flags = [false, true]
const combinations = flags.flatMap((database) =>
  flags.flatMap((externalSecrets) =>
    flags.map((ingress) => ({ database, externalSecrets, ingress })),
  ),
)

/** Names that a reader of YAML 1.1 takes for something else when they stand unquoted. */
const NAMES = ['payments-api', 'on', 'no', 'yes', 'null', 'true', 'off', 'nan', 'e1', 'x0777']

describe.skipIf(kubectl === null)('the base of a new application builds with kustomize', () => {
  const build = async (
    app: string,
    team: string,
    features: (typeof combinations)[number],
  ): Promise<void> => {
    const application = {
      app: AppName.of(app),
      team: TeamName.of(team),
      namespace: `${team}-dev`,
      image: `ghcr.io/acme/${app}`,
      features,
    }
    const resource = tenantApp('platform.example.org/v1alpha1', application)
    const built = await kustomize(
      {
        'base/kustomization.yaml': toYaml(baseKustomization(application)),
        'base/xtenant-app.yaml': toYaml(resource),
      },
      'base',
    )
    const labels = { 'app.kubernetes.io/name': app, 'portico/team': team }
    expect(built).toStrictEqual({ ...resource, metadata: { ...resource.metadata, labels } })
  }

  test.each(combinations)('with %p', (features) => build('payments-api', 'payments', features))

  test.each(NAMES)('when application and team are called %s', (name) =>
    build(name, name, { database: true, externalSecrets: true, ingress: true }),
  )
})
