import { isBytes } from '#tests/peers/forge/send.ts'
import Ajv2020 from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { lazily } from '#src/lib/concurrency/lazily.ts'
import { filled, type Schema } from './filled.ts'
import type { OperationId } from './operations.ts'

/** Releases of GitHub whose descriptions we have. */
export type Flavour = 'api.github.com' | 'ghes-3.17' | 'ghes-3.19'

interface Content {
  readonly schema?: Schema
}
interface Parameter {
  readonly $ref?: string
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly schema: Schema
}
interface Body {
  readonly $ref?: string
  readonly required?: boolean
  readonly content?: Readonly<Record<string, Content>>
}
interface OperationObject {
  readonly operationId: OperationId
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: Body
  readonly responses: Readonly<Record<string, Body>>
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>
}

export interface Operation {
  readonly id: OperationId
  readonly method: string
  /** As described, with its parameters in braces. */
  readonly path: string
}

export interface DescribedRequest {
  readonly operation: Operation
  readonly parameters: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** `undefined`: none. */
  readonly body: unknown
}

export interface DescribedAnswer {
  readonly status: number
  readonly contentType: string | null
  /** Parsed, when JSON. */
  readonly body: unknown
}

export interface Description {
  find(
    method: string,
    path: string,
  ): { readonly operation: Operation; readonly parameters: Record<string, string> } | undefined
  /** Deviations from GitHub's description, in words. */
  checkRequest(request: DescribedRequest): readonly string[]
  checkAnswer(operation: Operation, answer: DescribedAnswer): readonly string[]
  /** The body with all members that an answer of this status has. */
  fillBody(operation: Operation, status: number, body: unknown): unknown
}

/** Parameters that are the rest of the path, slashes included. */
const MANY_SEGMENTS = new Set(['ref', 'basehead', 'branch', 'path'])
/** Answers that any operation can have; GitHub's description lists them here and there. */
const EVERYWHERE = new Set([301, 304, 307, 401, 403, 404, 429, 451, 500, 502, 503, 504])
/** Answers that GitHub gives and does not describe: this one for a commit that it has not. */
const UNDESCRIBED = new Set(['repos/list-pull-requests-associated-with-commit 422'])
const PAGE_MAX = 100

const DESCRIPTIONS: Readonly<Record<Flavour, () => Promise<Description>>> = {
  'api.github.com': lazily(() => load('api.github.com')),
  'ghes-3.17': lazily(() => load('ghes-3.17')),
  'ghes-3.19': lazily(() => load('ghes-3.19')),
}

/** GitHub's OpenAPI description of these operations, from `@octokit/openapi` 23.0.2 (MIT). */
export const descriptionOf = (flavour: Flavour): Promise<Description> => DESCRIPTIONS[flavour]()

async function load(flavour: Flavour): Promise<Description> {
  const file = Bun.file(new URL(`openapi/${flavour}.json`, import.meta.url))
  const document = (await file.json()) as Document
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    coerceTypes: false,
    validateSchema: false,
  })
  addFormats(ajv)
  ajv.addFormat('repo.nwo', true)
  ajv.addSchema({ $id: 'github', ...document })
  const validators = new Map<string, ReturnType<typeof ajv.compile>>()

  /** Deviations of a value from the schema at this place of the document. */
  function check(place: readonly string[], value: unknown, where: string): readonly string[] {
    const pointer = place.map((key) =>
      encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1')),
    )
    const reference = `github#/${pointer.join('/')}`
    let validate = validators.get(reference)
    if (validate === undefined) {
      validate = ajv.compile({ $ref: reference })
      validators.set(reference, validate)
    }
    if (validate(value)) return []
    return (validate.errors ?? [])
      .slice(0, 10)
      .map(({ instancePath, message }) => `${where}${instancePath} ${message}`)
  }

  const lookUp = <Value extends { readonly $ref?: string }>(
    value: Value,
    place: readonly string[],
  ): readonly [Value, readonly string[]] => {
    if (value.$ref === undefined) return [value, place]
    const target = value.$ref.slice(2).split('/')
    const found = target.reduce<unknown>(
      (node, key) => (node as Readonly<Record<string, unknown>>)[key],
      document,
    )
    return [found as Value, target]
  }

  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, object]) => ({
      operation: { id: object.operationId, method: method.toUpperCase(), path },
      object,
      place: ['paths', path, method],
      pattern: patternOf(path),
    })),
  )
  const known = (operation: Operation) => {
    const found = operations.find((each) => each.operation.id === operation.id)
    if (found === undefined) throw new Error(`${flavour} does not describe ${operation.id}`)
    return found
  }

  return {
    find(method, path) {
      for (const { operation, pattern } of operations) {
        const match = operation.method === method ? pattern.exec(path) : null
        if (match === null) continue
        const parameters = Object.entries(match.groups ?? {}).map(
          ([name, value]) => [name, decodeURIComponent(value)] as const,
        )
        return { operation, parameters: Object.fromEntries(parameters) }
      }
      return undefined
    },

    checkRequest({ operation, parameters, query, body }) {
      const { object, place } = known(operation)
      const deviations: string[] = []
      const described = (object.parameters ?? []).map((parameter, index) =>
        lookUp(parameter, [...place, 'parameters', String(index)]),
      )
      for (const [parameter, at] of described) {
        const text =
          parameter.in === 'path' ? parameters[parameter.name] : query.get(parameter.name)
        if (text === undefined || text === null) {
          if (parameter.required === true) deviations.push(`${parameter.name} is missing`)
          continue
        }
        const value = typed(text, parameter.schema)
        deviations.push(...check([...at, 'schema'], value, parameter.name))
      }
      const names = new Set(
        described.filter(([each]) => each.in === 'query').map(([each]) => each.name),
      )
      for (const name of query.keys()) {
        if (!names.has(name)) deviations.push(`${name} is no parameter of ${operation.id}`)
      }
      if (Number(query.get('per_page') ?? 1) > PAGE_MAX) deviations.push('per_page is over 100')
      return [...deviations, ...bodyDeviations(object, place, body)]
    },

    checkAnswer(operation, { status, contentType, body }) {
      const where = `${operation.id} ${status}: `
      if (known(operation).object.responses[String(status)] === undefined) {
        const isKnown = EVERYWHERE.has(status) || UNDESCRIBED.has(`${operation.id} ${status}`)
        if (!isKnown) return [`${where}is not described`]
        if (contentType === null) return []
        return check(['components', 'schemas', 'basic-error'], body, where)
      }
      const described = answerSchema(operation, status)
      if (contentType !== 'application/json' || described === undefined) return []
      return check(described.place, body, where)
    },

    fillBody(operation, status, body) {
      const described = status < 300 ? answerSchema(operation, status) : undefined
      if (described === undefined || body === undefined || isBytes(body)) return body
      return filled(described.schema, body, (schema) => lookUp(schema, [])[0])
    },
  }

  /** Schema of an answer in JSON, and its place. */
  function answerSchema(operation: Operation, status: number) {
    const { object, place } = known(operation)
    const described = object.responses[String(status)]
    if (described === undefined) return undefined
    const [answer, at] = lookUp(described, [...place, 'responses', String(status)])
    const schema = answer.content?.['application/json']?.schema
    return schema && { schema, place: [...at, 'content', 'application/json', 'schema'] }
  }

  function bodyDeviations(
    object: OperationObject,
    place: readonly string[],
    body: unknown,
  ): readonly string[] {
    if (object.requestBody === undefined) return body === undefined ? [] : ['a body nobody reads']
    const [described, at] = lookUp(object.requestBody, [...place, 'requestBody'])
    const schema = described.content?.['application/json']?.schema
    if (schema === undefined) return []
    if (body === undefined) return described.required === true ? ['the body is missing'] : []
    return [
      ...check([...at, 'content', 'application/json', 'schema'], body, 'body'),
      ...unknownMembers(schema, body, 'body'),
    ]
  }

  /** GitHub ignores members that it does not know, and so hides a misspelt name. */
  function unknownMembers(schema: Schema, value: unknown, where: string): readonly string[] {
    const [resolved] = lookUp(schema, [])
    if (Array.isArray(value)) {
      const { items } = resolved
      return items === undefined
        ? []
        : value.flatMap((each, index) => unknownMembers(items, each, `${where}/${index}`))
    }
    const { properties } = resolved
    if (typeof value !== 'object' || value === null || properties === undefined) return []
    if (resolved.additionalProperties !== undefined) return []
    return Object.entries(value).flatMap(([name, member]) => {
      const inner = properties[name]
      if (inner === undefined) return [`${where}/${name} is no member that GitHub knows`]
      return unknownMembers(inner, member, `${where}/${name}`)
    })
  }
}

function patternOf(path: string): RegExp {
  const names = /\{([a-z_]+)\}/g
  const source = path.replaceAll(names, (_, name: string) =>
    MANY_SEGMENTS.has(name) ? `(?<${name}>.+)` : `(?<${name}>[^/]+)`,
  )
  return new RegExp(`^${source}$`)
}

/** A parameter's text as the type of its schema. */
function typed(text: string, { type }: Schema): unknown {
  if (type === 'integer' && /^-?\d+$/.test(text)) return Number(text)
  if (type === 'boolean' && /^(true|false)$/.test(text)) return text === 'true'
  return text
}
