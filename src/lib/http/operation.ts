import type { TSchema } from 'typebox'

/**
 * How a route describes itself in the OpenAPI document. Requests are validated by the very schemas given here; responses
 * are not validated per request, which would cost four fifths of the throughput, but every response in the tests is.
 */
interface OperationDescription {
  readonly id: string
  readonly tag: Tag
  readonly summary: string
  readonly description?: string
  /** Answers without a session. */
  readonly open?: boolean
  /** Answers whatever the `Host` header says. */
  readonly anyHost?: boolean
  /** An object schema, one member per query parameter. */
  readonly query?: TSchema & { readonly properties: Readonly<Record<string, TSchema>> }
  readonly body?: Content
  readonly responses: Readonly<Record<number, ResponseDescription>>
  /** Statuses answered with problem details, besides those that the edge and the session answer for every route. */
  readonly problems?: readonly number[]
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[]
}

export type Tag = 'Catalog' | 'Session' | 'Webhooks' | 'Service'

interface Content {
  readonly contentType?: string
  readonly schema: TSchema
  readonly example?: unknown
}

interface ResponseDescription {
  readonly description: string
  readonly content?: Content
  /** Header name to its description. */
  readonly headers?: Readonly<Record<string, string>>
}

/** The `detail` of an Elysia route. An `object`, since Elysia's own types are those of OpenAPI 3.0. */
export function operation({
  id,
  tag,
  summary,
  description,
  open = false,
  anyHost = false,
  query,
  body,
  responses,
  problems = [],
  security = open ? [] : [{ session: [] }],
}: OperationDescription): object {
  const statuses = new Set([
    ...problems,
    ...(open ? [] : [401, 503]),
    ...(anyHost ? [] : [421]),
    500,
  ])
  return {
    detail: {
      operationId: id,
      tags: [tag],
      summary,
      ...(description !== undefined && { description }),
      security: security.map((scheme) => ({ ...scheme })),
      ...(query && { parameters: queryParameters(query) }),
      ...(body && { requestBody: { required: true, content: media(body) } }),
      responses: {
        ...Object.fromEntries(
          Object.entries(responses).map(([status, response]) => [status, answer(response)]),
        ),
        ...Object.fromEntries([...statuses].map((status) => [status, PROBLEM])),
      },
    },
  }
}

const PROBLEM = { $ref: '#/components/responses/Problem' }

const media = ({ contentType = 'application/json', schema, example }: Content) => ({
  [contentType]: { schema, ...(example !== undefined && { example }) },
})

const answer = ({ description, content, headers }: ResponseDescription) => ({
  description,
  ...(content && { content: media(content) }),
  ...(headers && {
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, text]) => [
        name,
        { description: text, schema: { type: 'string' } },
      ]),
    ),
  }),
})

const queryParameters = (query: NonNullable<OperationDescription['query']>) =>
  Object.entries(query.properties).map(([name, schema]) => {
    const { description, ...rest }: TSchema & { readonly description?: string } = schema
    return { in: 'query', name, required: false, ...(description && { description }), schema: rest }
  })
