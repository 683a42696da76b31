import { expect } from 'bun:test'
import Ajv2020 from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { PATHS } from '#src/console/paths.ts'
import { patternExpression } from '#src/lib/http/route-pattern.ts'

interface Content {
  readonly schema?: object
  /** One event of a stream: a choice of `EventSchema`. */
  readonly 'x-itemSchema'?: { readonly oneOf: readonly { readonly $ref: string }[] }
}
interface EventSchema {
  readonly properties: {
    readonly event: { readonly const: string }
    readonly data: { readonly contentSchema: object }
  }
}
interface DocumentedResponse {
  readonly $ref?: string
  readonly content?: Readonly<Record<string, Content>>
  readonly headers?: Readonly<Record<string, unknown>>
}
interface Operation {
  readonly operationId: string
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly schema: {
      readonly type?: string
      readonly maximum?: number
      readonly maxLength?: number
      readonly enum?: readonly string[]
      readonly examples?: readonly string[]
    }
  }[]
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly example?: unknown }>>
  }
  readonly responses: Readonly<Record<string, DocumentedResponse>>
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>
    readonly responses: Readonly<Record<string, DocumentedResponse>>
  }
}

export const document = (await Bun.file('src/openapi.gen.json').json()) as Document

/** Fails unless the generated OpenAPI document describes this answer. */
export const expectDocumented = documentedBy(document)

/**
 * Fails unless an OpenAPI document describes this answer: operation, status, content type and every field. What no
 * operation describes must be a problem (unknown path, wrong method), the answer to OPTIONS, or the console.
 */
export function documentedBy(document: Document) {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats(ajv)
  ajv.addSchema({ $id: 'openapi', components: document.components })

  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      pattern: new RegExp(
        `^${path
          .replaceAll(/[.]/g, '\\.')
          .replaceAll('{path}', '.+')
          .replaceAll(/\{[^}]+\}/g, '[^/]+')}$`,
      ),
      operation,
    })),
  )

  const operationFor = (method: string, pathname: string) =>
    operations.find((each) => each.method === method && each.pattern.test(pathname))

  const resolved = (described: DocumentedResponse | undefined) =>
    described?.$ref === undefined
      ? described
      : document.components.responses[described.$ref.split('/').at(-1) ?? '']
  const validators = new Map<object, ReturnType<typeof ajv.compile>>()

  return async (request: Request, response: Response): Promise<void> => {
    const { pathname } = new URL(request.url)
    const method = request.method === 'HEAD' ? 'GET' : request.method
    const contentType = response.headers.get('content-type')?.split(';')[0] ?? ''
    const isCompressed = response.headers.has('content-encoding')
    if (response.headers.has('x-accel-buffering')) {
      // It may never end.
      const stream = operationFor(method, pathname)?.operation.responses[String(response.status)]
      expect(Object.keys(stream?.content ?? {})).toContain(contentType)
      return
    }
    const hasBody = response.status !== 304 && request.method !== 'HEAD' && !isCompressed
    const body = hasBody ? await response.clone().text() : ''
    const found = operationFor(method, pathname)
    if (found === undefined) {
      const isMissing = contentType === 'text/html' && !pathname.startsWith('/api/')
      const isPage =
        isMissing || isOfGitHost(pathname) || (response.status < 400 && isOfConsole(pathname))
      if (method !== 'OPTIONS' && !isPage)
        expectSchema(document.components.responses['Problem404'], contentType, body, pathname)
      return
    }
    const described = found.operation.responses[String(response.status)]
    if (described === undefined) {
      expect(`${found.operation.operationId} answered ${response.status}: ${body}`).toBe(
        'documented',
      )
    }
    expectSchema(resolved(described), contentType, body, pathname)
  }

  function expectSchema(
    described: DocumentedResponse | undefined,
    contentType: string,
    body: string,
    where: string,
  ): void {
    if (described?.content === undefined || body === '') {
      expect(body).toBe('')
      return
    }
    const content = described.content[contentType] ?? described.content['*/*']
    if (content === undefined) expect(`${where} answered with ${contentType}`).toBe('documented')
    if (!contentType.endsWith('json') || content?.schema === undefined) return
    let validate = validators.get(content.schema)
    if (validate === undefined) {
      validate = ajv.compile(withAbsoluteRefs(content.schema))
      validators.set(content.schema, validate)
    }
    if (!validate(JSON.parse(body))) {
      expect(`${where}: ${ajv.errorsText(validate.errors)} in ${body.slice(0, 500)}`).toBe(
        'as documented',
      )
    }
  }
}

const pages = Object.values(PATHS).map(patternExpression)

/** The console is no part of the API. */
const isOfConsole = (pathname: string): boolean =>
  pathname.startsWith('/console/') || pages.some((page) => page.test(pathname))

/** Pages of the embedded git host, and git's own protocol. */
const isOfGitHost = (pathname: string): boolean => /^\/git(\/|$)/.test(pathname)

/** Fails unless the OpenAPI document describes these events of an operation. */
export function expectEventsDocumented(
  operationId: string,
  events: readonly { readonly event: string; readonly data: unknown }[],
): void {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats(ajv)
  ajv.addSchema({ $id: 'openapi', components: document.components })
  const operation = Object.values(document.paths)
    .flatMap((methods) => Object.values(methods))
    .find((each) => each.operationId === operationId)
  const described = operation?.responses['200']?.content?.['text/event-stream']?.['x-itemSchema']
  for (const { event, data } of events) {
    const items = described?.oneOf.map(({ $ref }) => schemaOf($ref) as EventSchema)
    const item = items?.find(({ properties }) => properties.event.const === event)
    const schema = item?.properties.data.contentSchema
    if (schema === undefined) throw new Error(`${operationId} has no event ${event}`)
    const validate = ajv.compile(withAbsoluteRefs(schema))
    if (!validate(data)) throw new Error(`${event}: ${ajv.errorsText(validate.errors)}`)
  }
}

const schemaOf = (reference: string): object | undefined =>
  document.components.schemas[reference.split('/').at(-1) ?? '']

const withAbsoluteRefs = (schema: object): object =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"openapi#/components/')) as object
