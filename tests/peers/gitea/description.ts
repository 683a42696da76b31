import Ajv from 'ajv'
import addFormats from 'ajv-formats'
import document from './swagger/v1.json'
import type { OperationId } from './operations.ts'

type JsonObject = Readonly<Record<string, unknown>>

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'body' | 'formData'
  readonly required?: boolean
  readonly type?: string
  readonly enum?: readonly string[]
  readonly schema?: JsonObject
}
interface OperationObject {
  readonly operationId: OperationId
  readonly parameters?: readonly Parameter[]
  readonly responses: Readonly<
    Record<string, { readonly $ref?: string; readonly schema?: JsonObject }>
  >
}

export interface FoundOperation {
  readonly id: OperationId
  /** Decoded; slashes are those of the path. */
  readonly parameters: Readonly<Record<string, string>>
}

/** Parameters that are the rest of the path, slashes included. */
const MANY_SEGMENTS = new Set(['branch', 'head', 'name', 'ref'])

const paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>> = JSON.parse(
  JSON.stringify(document.paths),
)
const responses: Readonly<Record<string, { readonly schema?: JsonObject }>> = document.responses
const parametersIn = (path: string): number => path.split('{').length
/** Gitea takes a fixed segment before a parameter. */
const operations = Object.entries(paths)
  .toSorted(([one], [other]) => parametersIn(one) - parametersIn(other))
  .flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, object]) => ({
      object,
      method: method.toUpperCase(),
      pattern: patternOf(path),
    })),
  )
const objects = new Map(operations.map(({ object }) => [object.operationId, object]))

/** `path` is below the root of the API, encoded. */
export function findOperation(method: string, path: string): FoundOperation | undefined {
  for (const { object, method: its, pattern } of operations) {
    const match = its === method ? pattern.exec(path) : null
    if (match === null) continue
    const parameters = Object.entries(match.groups ?? {}).map(
      ([name, value]) => [name, decodeURIComponent(value)] as const,
    )
    return { id: object.operationId, parameters: Object.fromEntries(parameters) }
  }
  return undefined
}

const ajv = new Ajv({ strict: false, allErrors: true, validateSchema: false })
addFormats(ajv)
// Numbers of Go, and addresses in commits, which git does not check.
for (const format of ['int64', 'uint64', 'int32', 'email']) ajv.addFormat(format, true)
ajv.addSchema({ $id: 'gitea', definitions: strictly(document.definitions) })
const validators = new Map<JsonObject, ReturnType<typeof ajv.compile>>()

/** Members that are not described are deviations too: Gitea ignores them, and so hides a misspelt name. */
function check(schema: JsonObject, value: unknown, where: string): readonly string[] {
  let validate = validators.get(schema)
  if (validate === undefined) {
    const text = JSON.stringify(strictly(schema)).replaceAll('"#/', '"gitea#/')
    validate = ajv.compile(JSON.parse(text))
    validators.set(schema, validate)
  }
  if (validate(value)) return []
  return (validate.errors ?? [])
    .slice(0, 10)
    .map(
      ({ instancePath, message, params }) =>
        `${where}${instancePath} ${message} ${JSON.stringify(params)}`,
    )
}

/** Deviations of a request from Gitea's description, in words. */
export function requestDeviations(
  id: OperationId,
  query: URLSearchParams,
  body: unknown,
): readonly string[] {
  const parameters = objects.get(id)?.parameters ?? []
  const deviations: string[] = []
  for (const [name, text] of query) {
    const parameter = parameters.find((each) => each.in === 'query' && each.name === name)
    if (parameter === undefined) deviations.push(`${id}: no parameter ${name}`)
    else if (!fits(text, parameter)) deviations.push(`${id}: ${name}=${text} does not fit`)
  }
  const described = parameters.find((parameter) => parameter.in === 'body')
  if (body === undefined) {
    if (described?.required === true) deviations.push(`${id}: the body is missing`)
  } else if (described?.schema === undefined) deviations.push(`${id}: a body that nobody reads`)
  else deviations.push(...check(described.schema, body, `${id}: body`))
  return deviations
}

/** Deviations of an answer with 2xx. Gitea leaves many of its refusals undescribed. */
export function answerDeviations(
  id: OperationId,
  status: number,
  body: unknown,
): readonly string[] {
  if (status >= 300) return []
  const described = objects.get(id)?.responses[String(status)]
  if (described === undefined) return [`${id}: ${status} is not described`]
  const { schema } = described.$ref ? (responses[described.$ref.slice(12)] ?? {}) : described
  return schema === undefined ? [] : check(schema, describedPart(body), `${id} ${status}: `)
}

function fits(text: string, { type, enum: options }: Parameter): boolean {
  if (options !== undefined) return options.includes(text)
  if (type === 'integer') return /^\d+$/.test(text)
  // Gitea takes what Go's `strconv.ParseBool` takes.
  return type !== 'boolean' || /^(true|false|1|0)$/.test(text)
}

function patternOf(path: string): RegExp {
  const source = path.replaceAll(/\{([a-z_]+)\}/g, (_, name: string) =>
    MANY_SEGMENTS.has(name) ? `(?<${name}>.+)` : `(?<${name}>[^/]+)`,
  )
  return new RegExp(`^${source}$`)
}

function strictly(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(strictly)
  if (typeof schema !== 'object' || schema === null) return schema
  const strict: Record<string, unknown> = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, strictly(value)] as const),
  )
  if (isSchemaWith(strict, 'properties')) strict['additionalProperties'] ??= false
  return strict
}

/** Members that Gitea has in its answers and not in its description. */
const UNDESCRIBED = new Set(['username'])

/** Without the members that are `null`: any list and any object may be. */
function describedPart(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(describedPart)
  if (typeof value !== 'object' || value === null) return value ?? []
  const members = Object.entries(value).filter(
    ([name, member]) => member !== null && !UNDESCRIBED.has(name),
  )
  return Object.fromEntries(members.map(([name, member]) => [name, describedPart(member)]))
}

/** A member that is called `properties` is no keyword when the members beside it are none. */
function isSchemaWith(schema: JsonObject, keyword: string): boolean {
  return typeof schema[keyword] === 'object' && schema['type'] === 'object'
}
