import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import { parseJson } from '../../text/json.ts'
import {
  AppName,
  EnvironmentName,
  Label,
  ObjectId,
  type RepositoryId,
  RepositoryOwner,
  RepositoryPart,
  TeamName,
} from '../../names.ts'
import type { GitFailure } from '../../ports/git-host.ts'
import { err, ok, type Result } from '../../result.ts'
import type { FieldError } from '../../schema/field-error.ts'
import { named } from '../../schema/named.ts'
import type { Principal } from '../access/principal.ts'
import { authorOf } from '../gitops/requesters.ts'
import type { Pipeline } from '../promotion/pipeline.ts'
import { codeownersFor } from './codeowners.ts'
import { resolveParameters } from './parameters/resolve.ts'
import { ParameterValue } from './parameters/schema.ts'
import { featuresOf, type ScaffoldRequest, unsupportedFeatures } from './request.ts'
import type { Template } from './template.ts'
import type { Templates } from './templates.ts'

/**
 * Everything that a run depends on, fixed at its request: settings and templates may have changed when a later attempt reads it.
 * The journal keeps it, so it holds no secret.
 */
const StoredSpec = Type.Object({
  templateId: named(Label),
  templateVersion: Type.String(),
  templateRevision: named(ObjectId),
  app: named(AppName),
  team: named(TeamName),
  org: Type.String(),
  namespace: Type.String(),
  description: Type.String(),
  image: Type.String(),
  features: Type.Object({
    database: Type.Boolean(),
    externalSecrets: Type.Boolean(),
    ingress: Type.Boolean(),
  }),
  /** A value for each parameter of the template, if it has parameters. */
  parameters: Type.Optional(Type.Record(Type.String(), ParameterValue)),
  componentType: Type.String(),
  /** Whether the template brings the base of the application. */
  templateHasBase: Type.Boolean(),
  tenantAppApiVersion: Type.String(),
  /** Runs of before it was a setting have none. */
  firstEnvironment: Type.Optional(named(EnvironmentName)),
  /** Content of the CODEOWNERS file; empty or missing: the repository gets none. */
  codeowners: Type.Optional(Type.String()),
  createdBy: Type.Object({ subject: Type.String(), name: Type.String(), email: Type.String() }),
})

export interface ScaffoldSpec extends Static<typeof StoredSpec> {
  /** Its entry of the secret store is created. */
  readonly firstEnvironment: EnvironmentName
}

export const writeSpec = (spec: ScaffoldSpec): string => JSON.stringify(spec)

/** Reads the text of `writeSpec`; any other text in the database is a bug. */
export function readSpec(text: string): ScaffoldSpec {
  const stored = parseJson(text)
  if (!Value.Check(StoredSpec, stored)) throw new Error('the spec of a run is not readable')
  return { ...stored, firstEnvironment: stored.firstEnvironment ?? EnvironmentName.of('dev') }
}

export const repositoryOf = ({ org, app }: Pick<ScaffoldSpec, 'org' | 'app'>): RepositoryId => ({
  owner: RepositoryOwner.of(org),
  name: RepositoryPart.of(app),
})

export interface SpecOptions {
  readonly templates: Templates
  readonly gitopsRepository: RepositoryId
  /** Registry and namespace that images are pushed to: `ghcr.io/acme`. */
  readonly imageRegistry: string
  readonly tenantAppApiVersion: string
  /** Line of the CODEOWNERS file of new repositories, see `codeowners.ts`; empty: they get none. */
  readonly codeowners: string
  readonly pipeline: Pick<Pipeline, 'first' | 'stages'>
}

export type SpecFailure =
  | { readonly kind: 'template_not_found' }
  | { readonly kind: 'validation_failed'; readonly errors: readonly FieldError[] }
  | GitFailure

/** The spec of a request and its template. Does not check whether the names are free. */
export async function makeSpec(
  options: SpecOptions,
  principal: Principal,
  request: ScaffoldRequest,
): Promise<Result<{ readonly spec: ScaffoldSpec; readonly template: Template }, SpecFailure>> {
  const { templates, gitopsRepository, imageRegistry, tenantAppApiVersion, pipeline } = options
  const list = await templates.read()
  if (!list.ok) return list
  const template = list.value.templates.find(({ id }) => id === request.templateId)
  if (template === undefined) return err({ kind: 'template_not_found' })
  const parameters = resolveParameters(template.parameters, request.parameters ?? {})
  const errors = [...unsupportedFeatures(request.features, template), ...parameters.faults]
  if (errors.length > 0) return err({ kind: 'validation_failed', errors })
  const spec: ScaffoldSpec = {
    templateId: template.id,
    templateVersion: template.version,
    templateRevision: template.revision,
    app: request.appName,
    team: request.team,
    org: gitopsRepository.owner,
    namespace: request.namespace,
    description: request.description ?? '',
    image: `${imageRegistry}/${request.appName}`,
    features: featuresOf(request, template),
    ...(template.parameters !== undefined && { parameters: parameters.values }),
    componentType: template.type,
    templateHasBase: template.gitops.length > 0,
    tenantAppApiVersion,
    firstEnvironment: pipeline.first.environment,
    codeowners: codeownersFor(options.codeowners, gitopsRepository.owner, request.team),
    createdBy: { subject: principal.subject, ...authorOf(principal) },
  }
  return ok({ spec, template })
}
