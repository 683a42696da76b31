import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { lazily } from '../../concurrency/lazily.ts'
import { isObject } from '../../text/json.ts'
import { named } from '../../schema/named.ts'
import { AppName, Label, TeamName } from '../../names.ts'
import { err, ok, type Result } from '../../result.ts'
import { readBody } from '../../schema/body.ts'
import type { FieldError } from '../../schema/field-error.ts'
import { OneLine } from '../../schema/one-line.ts'
import type { Pipeline } from '../promotion/pipeline.ts'
import { resolveParameters } from './parameters/resolve.ts'
import { ParameterValue } from './parameters/schema.ts'
import { RESERVED_NAMESPACES } from './reserved-namespaces.ts'
import type { Template } from './template.ts'

/** Limit of the label `{team}-{app}-{environment}`, the name of a Kubernetes object. */
const LABEL_MAX = 63
const DESCRIPTION_MAX = 500
/** Visible ASCII, as in a header. */
export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/

const Flag = Type.Optional(Type.Boolean())

/** The body of a scaffold request. */
export const ScaffoldRequest = Type.Object({
  templateId: named(Label, { description: 'Id of a listed template' }),
  appName: named(AppName, {
    description: 'Name of the application, its repository and its entity',
  }),
  description: Type.Optional(
    OneLine({
      maxLength: DESCRIPTION_MAX,
      description: 'Description of the application, one line',
    }),
  ),
  team: named(TeamName, {
    description:
      'Team that owns the application; the caller must be a member of it or of the platform team',
  }),
  namespace: named(Label, { description: 'Kubernetes namespace of the application' }),
  features: Type.Optional(
    Type.Object(
      { database: Flag, externalSecrets: Flag, ingress: Flag },
      { description: 'A feature that is left out has the default of the template' },
    ),
  ),
  parameters: Type.Optional(
    Type.Record(Type.String(), ParameterValue, {
      description:
        'Values of the `parameters` of the template; one that is left out has its default',
    }),
  ),
})
export type ScaffoldRequest = Static<typeof ScaffoldRequest>

const isReserved = (namespace: Label, reserved: readonly string[]): boolean =>
  reserved.some((pattern) => {
    if (pattern.startsWith('*')) return namespace.endsWith(pattern.slice(1))
    return pattern.endsWith('*')
      ? namespace.startsWith(pattern.slice(0, -1))
      : namespace === pattern
  })

const schema = lazily(() => Compile(ScaffoldRequest))

/** The parser of request bodies. It reports every fault at once and ignores unknown members. */
export function createRequestParser(
  { stages }: Pick<Pipeline, 'stages'>,
  reservedNamespaces: readonly string[],
) {
  const reserved = [...RESERVED_NAMESPACES, ...reservedNamespaces]
  const longest = Math.max(...stages.map(({ environment }) => environment.length))
  const namesMax = LABEL_MAX - '--'.length - longest

  return (body: unknown): Result<ScaffoldRequest, readonly FieldError[]> => {
    const { value, faults: ofSchema } = readBody(schema(), body)
    const faults = [...ofSchema, ...(isObject(value) ? faultsOf(value, namesMax, reserved) : [])]
    return faults.length === 0 && schema().Check(value) ? ok(value) : err(faults)
  }
}

/** Rules that the schema cannot express, for the members that are valid by themselves. */
function faultsOf(
  value: Readonly<Record<string, unknown>>,
  namesMax: number,
  reserved: readonly string[],
): readonly FieldError[] {
  const faults: FieldError[] = []
  const namespace = Label.parse(value['namespace'])
  if (namespace !== undefined && isReserved(namespace, reserved)) {
    faults.push({
      path: '/namespace',
      rule: 'reserved',
      message: 'is reserved for the cluster and the platform',
    })
  }
  const app = AppName.parse(value['appName'])
  const team = TeamName.parse(value['team'])
  if (app === undefined || team === undefined) return faults
  if (team.length + app.length > namesMax) {
    faults.push({
      path: '/appName',
      rule: 'max_length_together',
      message: `must leave room: team and appName may have at most ${namesMax} characters together`,
    })
  }
  return faults
}

const FEATURES = ['database', 'externalSecrets', 'ingress'] as const

/** Faults by the template: features that it does not support, and parameters. The body may have other faults. */
export function templateFaultsOf(
  body: unknown,
  templates: readonly Template[],
): readonly FieldError[] {
  if (!isObject(body)) return []
  const template = templates.find(({ id }) => id === body['templateId'])
  if (template === undefined) return []
  const { features, parameters = {} } = body
  const unsupported = unsupportedFeatures(features, template)
  return isObject(parameters)
    ? [...unsupported, ...resolveParameters(template.parameters, parameters).faults]
    : unsupported
}

export const unsupportedFeatures = (features: unknown, template: Template): readonly FieldError[] =>
  FEATURES.filter(
    (feature) =>
      isObject(features) && features[feature] === true && !template.features[feature].supported,
  ).map((feature) => ({
    path: `/features/${feature}`,
    rule: 'supported',
    message: 'is not supported by this template',
  }))

/** The features of a request, by default those of the template. */
export function featuresOf({ features = {} }: ScaffoldRequest, template: Template) {
  const isOn = (feature: (typeof FEATURES)[number]): boolean => {
    const { supported, default: fallback } = template.features[feature]
    return features[feature] ?? (supported && fallback)
  }
  return {
    database: isOn('database'),
    externalSecrets: isOn('externalSecrets'),
    ingress: isOn('ingress'),
  }
}
