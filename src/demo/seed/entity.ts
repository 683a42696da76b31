import { file, type SeedFile, yaml } from './file.ts'

export type Team = 'payments' | 'shipping' | 'platform-team'
export type Environment = 'dev' | 'staging' | 'production'
type Lifecycle = 'experimental' | 'development' | 'staging' | 'production' | 'deprecated'

export interface ComponentRow {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly type: 'service' | 'website' | 'worker'
  readonly lifecycle: Lifecycle
  readonly tags: readonly string[]
  readonly provides?: readonly string[]
  readonly consumes?: readonly string[]
  readonly dependsOn?: readonly string[]
  /** Image tags by environment. */
  readonly deployed: Readonly<Partial<Record<Environment, string>>>
  readonly annotations?: Readonly<Record<string, string>>
}

export interface EntityRow {
  readonly kind: 'API' | 'Resource' | 'System' | 'Domain' | 'Group'
  readonly name: string
  readonly title: string
  readonly description: string
  readonly tags?: readonly string[]
  readonly spec: Readonly<Record<string, unknown>>
}

const folderOf = {
  Component: 'components',
  API: 'apis',
  Resource: 'resources',
  System: 'systems',
  Domain: 'domains',
  Group: 'groups',
} as const

const entityPath = (team: Team, kind: keyof typeof folderOf, name: string) =>
  `catalog/${team}/${folderOf[kind]}/${name}.yaml`

const appPath = (team: Team, name: string) => `apps/${team}/${name}`
export const imageOf = (name: string) => `ghcr.io/acme/${name}`

export function componentFile(team: Team, system: string, row: ComponentRow): SeedFile {
  const { name, title, description, type, lifecycle, tags } = row
  const entity = {
    apiVersion: 'portico/v1',
    kind: 'Component',
    metadata: {
      name,
      title,
      description,
      annotations: {
        'portico/app-path': appPath(team, name),
        'portico/image': imageOf(name),
        ...row.annotations,
      },
      tags,
      links: [
        { title: 'Runbook', url: `https://wiki.acme.example/runbooks/${name}` },
        { title: 'Dashboard', url: `https://grafana.acme.example/d/${name}` },
      ],
    },
    spec: {
      type,
      lifecycle,
      owner: `group:acme/${team}`,
      system,
      ...(row.provides && { providesApis: row.provides }),
      ...(row.consumes && { consumesApis: row.consumes }),
      ...(row.dependsOn && { dependsOn: row.dependsOn }),
    },
  }
  return file(entityPath(team, 'Component', name), yaml(entity))
}

export function entityFile(team: Team, row: EntityRow): SeedFile {
  const { kind, name, title, description, tags, spec } = row
  const entity = {
    apiVersion: 'portico/v1',
    kind,
    metadata: { name, title, description, ...(tags && { tags }) },
    spec: kind === 'Group' ? spec : { ...spec, owner: `group:acme/${team}` },
  }
  return file(entityPath(team, kind, name), yaml(entity))
}
