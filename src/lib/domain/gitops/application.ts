import { AppName, RepositoryPath, TeamName } from '../../names.ts'

export interface ApplicationId {
  readonly team: TeamName
  readonly app: AppName
}

/** Folder of an application in the gitops repository. */
export const appPath = (team: TeamName, app: AppName): RepositoryPath =>
  RepositoryPath.of(`apps/${team}/${app}`)

export const basePath = (team: TeamName, app: AppName, file: string): RepositoryPath =>
  RepositoryPath.of(`${appPath(team, app)}/base/${file}`)

export const componentPath = (
  catalog: RepositoryPath,
  team: TeamName,
  app: AppName,
): RepositoryPath => RepositoryPath.of(`${catalog}/${team}/components/${app}.yaml`)

export const KUSTOMIZATION = {
  apiVersion: 'kustomize.config.k8s.io/v1beta1',
  kind: 'Kustomization',
} as const

export interface Features {
  readonly database: boolean
  readonly externalSecrets: boolean
  readonly ingress: boolean
}

export interface NewApplication extends ApplicationId {
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

export interface ApplicationInEnvironment extends ApplicationId {
  readonly environment: string
}

/**
 * Other applications whose objects in the cluster have the same name: `payments-core/ledger` and `payments/core-ledger` in dev are both
 * `payments-core-ledger-dev`. The names are part of what runs already, so that the second application is refused instead.
 */
export function sameNamed(
  { team, app, environment }: ApplicationInEnvironment,
  environments: readonly string[],
): readonly ApplicationInEnvironment[] {
  const name = `${compositeName(team, app)}-${environment}`
  return environments
    .filter((each) => name.endsWith(`-${each}`))
    .flatMap((each) => splitsOf(name.slice(0, -`-${each}`.length), each))
    .filter((other) => other.team !== team || other.app !== app)
}

const splitsOf = (name: string, environment: string): readonly ApplicationInEnvironment[] =>
  [...name.matchAll(/-/g)].flatMap(({ index }) => {
    const team = TeamName.parse(name.slice(0, index))
    const app = AppName.parse(name.slice(index + 1))
    return team === undefined || app === undefined ? [] : [{ team, app, environment }]
  })
