import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import { parseJson } from '../../text/json.ts'
import {
  AppName,
  Label,
  ObjectId,
  type RepositoryId,
  RepositoryPart,
  TeamName,
} from '../../names.ts'

/**
 * Everything that a run makes things of, settled when it was asked for: settings and templates may have changed when it goes on.
 * Kept in the journal, so it holds no secret.
 */
const StoredSpec = Type.Object({
  templateId: Type.String(),
  templateVersion: Type.String(),
  templateRevision: Type.String(),
  app: Type.String(),
  team: Type.String(),
  org: Type.String(),
  namespace: Type.String(),
  description: Type.String(),
  image: Type.String(),
  features: Type.Object({
    database: Type.Boolean(),
    externalSecrets: Type.Boolean(),
    ingress: Type.Boolean(),
  }),
  componentType: Type.String(),
  /** Whether the template brings the base of the application. */
  templateHasBase: Type.Boolean(),
  tenantAppApiVersion: Type.String(),
  createdBy: Type.Object({ subject: Type.String(), name: Type.String(), email: Type.String() }),
})

export interface ScaffoldSpec extends Static<typeof StoredSpec> {
  readonly templateId: Label
  readonly templateRevision: ObjectId
  readonly app: AppName
  readonly team: TeamName
}

export const writeSpec = (spec: ScaffoldSpec): string => JSON.stringify(spec)

/** What `writeSpec` wrote; anything else in the database is a bug. */
export function readSpec(text: string): ScaffoldSpec {
  const stored = parseJson(text)
  if (!Value.Check(StoredSpec, stored)) throw new Error('a run of the journal is not readable')
  return {
    ...stored,
    templateId: Label.of(stored.templateId),
    templateRevision: ObjectId.of(stored.templateRevision),
    app: AppName.of(stored.app),
    team: TeamName.of(stored.team),
  }
}

export const repositoryOf = ({ org, app }: Pick<ScaffoldSpec, 'org' | 'app'>): RepositoryId => ({
  owner: RepositoryPart.of(org),
  name: RepositoryPart.of(app),
})
