import { type TSchema, Type } from 'typebox'
import { isScope, type Scope } from '../domain/access/grants/scope.ts'
import { isObject } from '../text/json.ts'

/**
 * The description of a route in the OpenAPI document. The same schemas validate requests. Responses are validated in the
 * tests only, because validating each would cost four fifths of the throughput.
 */
interface OperationDescription {
  readonly id: string
  readonly tag: Tag
  readonly summary: string
  readonly description?: string
  /** Needs no session. */
  readonly open?: boolean
  /** Accepts any `Host` header. */
  readonly anyHost?: boolean
  /** The answer has an ETag, and is 304 for a client that has it. */
  readonly tagged?: boolean
  readonly headers?: Readonly<Record<string, TSchema>>
  /** An object schema, one member per query parameter. */
  readonly query?: ObjectSchema
  /** One, or several that the client chooses from. */
  readonly body?: Content | readonly Content[]
  readonly responses: Readonly<Record<number, ResponseDescription>>
  /** Statuses of problem details. The edge and the session check add theirs to every route. */
  readonly problems?: readonly number[]
  /** Like `problems`, where browsers get a page instead. */
  readonly problemPages?: readonly number[]
  /** Scope that an access token needs, enforced by `admitBearer`. An operation without one admits only sessions of browsers. */
  readonly scope?: Scope
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[]
}

/** The scope in the description of a route. */
export function scopeIn(detail: unknown): Scope | undefined {
  const security: unknown = isObject(detail) ? detail['security'] : undefined
  const schemes: readonly unknown[] = Array.isArray(security) ? security : []
  for (const scheme of schemes) {
    const scopes: unknown = isObject(scheme) ? scheme['grant'] : undefined
    const scope: unknown = Array.isArray(scopes) ? scopes[0] : undefined
    if (typeof scope === 'string' && isScope(scope)) return scope
  }
  return undefined
}

type ObjectSchema = TSchema & {
  readonly properties: Readonly<Record<string, TSchema>>
  readonly required?: readonly string[] | undefined
}

export type Tag =
  | 'Catalog'
  | 'Scaffold'
  | 'Promotion'
  | 'Clusters'
  | 'Git'
  | 'CLI'
  | 'Audit'
  | 'Events'
  | 'Session'
  | 'Grants'
  | 'Webhooks'
  | 'Service'

interface Content {
  readonly contentType?: string
  readonly schema: TSchema
  /** One event of a stream. */
  readonly itemSchema?: TSchema
  readonly example?: unknown
  /** The body may be left out. */
  readonly optional?: boolean
}

interface ResponseDescription {
  readonly description: string
  readonly content?: Content | readonly Content[]
  /** Descriptions by header name. */
  readonly headers?: Readonly<Record<string, string>>
}

/** The `detail` of an Elysia route. An `object`, because Elysia's types describe OpenAPI 3.0. */
export function operation({
  id,
  tag,
  summary,
  description,
  open = false,
  anyHost = false,
  tagged = false,
  query,
  headers: ownHeaders = {},
  body,
  responses,
  problems = [],
  problemPages = [],
  scope,
  security = open ? [] : [{ session: [] }, ...(scope === undefined ? [] : [{ grant: [scope] }])],
}: OperationDescription): object {
  const statuses = new Set([
    ...problems,
    ...(open ? [] : [401]),
    ...(scope === undefined ? [] : [400, 403]),
    ...(anyHost ? [] : [421, 503]),
    500,
  ])
  const headers = { ...ownHeaders, ...(tagged && conditionalHeaders) }
  const described = Object.entries(responses).map(
    ([status, response]) =>
      [status, answer(tagged && status === '200' ? withTag(response) : response)] as const,
  )
  return {
    detail: {
      operationId: id,
      tags: [tag],
      summary,
      ...(description !== undefined && { description }),
      security: security.map((scheme) => ({ ...scheme })),
      ...((query !== undefined || Object.keys(headers).length > 0) && {
        // Elysia overwrites `parameters` with the path parameters; `scripts/openapi.ts` joins both lists.
        'x-parameters': [
          ...parametersIn('query', query?.properties ?? {}, query?.required),
          ...parametersIn('header', headers),
        ],
      }),
      ...(body && { requestBody: { required: !isOptional(body), content: media(body) } }),
      responses: {
        ...Object.fromEntries(described),
        ...(tagged && { 304: { description: 'Not modified since the `If-None-Match` tag' } }),
        ...Object.fromEntries(
          [...statuses].map((status) => [status, problemOf('Problem', status)]),
        ),
        431: HEADERS_TOO_LARGE,
        ...Object.fromEntries(
          problemPages.map((status) => [status, problemOf('ProblemPage', status)]),
        ),
      },
    },
  }
}

/** Request headers of routes that may answer 304. */
const conditionalHeaders = {
  'If-None-Match': Type.String({ description: 'ETags of existing copies' }),
}

const withTag = ({ headers, ...response }: ResponseDescription): ResponseDescription => ({
  ...response,
  headers: { ETag: 'Changes whenever the answer changes', ...headers },
})

const HEADERS_TOO_LARGE = { $ref: '#/components/responses/HeadersTooLarge' }
/** `scripts/openapi.ts` describes those that are referred to. */
const problemOf = (name: 'Problem' | 'ProblemPage', status: number) => ({
  $ref: `#/components/responses/${name}${status}`,
})

const isOptional = (contents: Content | readonly Content[]): boolean =>
  [contents].flat().some(({ optional }) => optional === true)

const media = (contents: Content | readonly Content[]) =>
  Object.fromEntries(
    [contents].flat().map(({ contentType = 'application/json', schema, itemSchema, example }) => [
      contentType,
      {
        schema,
        ...(itemSchema && { 'x-itemSchema': itemSchema }),
        ...(example !== undefined && { example }),
      },
    ]),
  )

/** Names a list after its items. Client generators would name it after each operation. */
function withNamedList({ schema, ...content }: Content): Content {
  const {
    items,
    $id = items?.$id && `${items.$id}List`,
  }: NamedSchema & { readonly items?: NamedSchema } = schema
  return { ...content, schema: { ...schema, ...($id !== undefined && { $id }) } }
}

type NamedSchema = TSchema & { readonly $id?: string }

const answer = ({ description, content, headers }: ResponseDescription) => ({
  description,
  ...(content && { content: media([content].flat().map(withNamedList)) }),
  ...(headers && {
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, text]) => [
        name,
        { description: text, schema: { type: 'string' } },
      ]),
    ),
  }),
})

const parametersIn = (
  place: 'query' | 'header',
  schemas: Readonly<Record<string, TSchema>>,
  required: readonly string[] = [],
) =>
  Object.entries(schemas).map(([name, schema]) => {
    const { description, ...rest }: TSchema & { readonly description?: string } = schema
    return {
      in: place,
      name,
      required: required.includes(name) && !('default' in schema),
      ...(description && { description }),
      schema: rest,
    }
  })
