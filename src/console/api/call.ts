import type { Problem, Result } from './result.ts'
import type { paths } from './schema.gen.ts'
import { noteUnauthorized, refusalOfAct } from './session-state.ts'

export type Method = 'get' | 'post' | 'delete'

/** Paths of the API that have a method. */
export type PathWith<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<M, { responses: unknown }> ? P : never
}[keyof paths]

type OperationOf<M extends Method, P extends keyof paths> =
  paths[P] extends Record<M, infer Found> ? Found : never

type JsonOf<Response> = Response extends { content: { 'application/json': infer Body } }
  ? Body
  : undefined

type ResponsesOf<Operation> = Operation extends { responses: infer All } ? All : never

/** Union of the bodies of all successful answers. */
export type AnswerOf<M extends Method, P extends keyof paths> = {
  [Status in keyof ResponsesOf<OperationOf<M, P>> & (200 | 201 | 202 | 204)]: JsonOf<
    ResponsesOf<OperationOf<M, P>>[Status]
  >
}[keyof ResponsesOf<OperationOf<M, P>> & (200 | 201 | 202 | 204)]

export type BodyOf<M extends Method, P extends keyof paths> =
  OperationOf<M, P> extends { requestBody?: { content: { 'application/json': infer Body } } }
    ? Body
    : never

export type QueryValue = string | number | boolean | readonly string[] | undefined

export interface Address {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, QueryValue>>
}

export interface Request<Body> extends Address {
  readonly body?: Body
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

export interface Answer<Value> {
  readonly value: Value
  readonly status: number
  readonly headers: Headers
}

/** URL of a path of the API; lists become comma-separated, absent values are left out. */
export function urlOf(path: string, { params = {}, query = {} }: Address = {}): string {
  const named = path.replaceAll(/\{([A-Za-z]+)\}/g, (_, name: string) =>
    encodedParameter(name, params[name] ?? ''),
  )
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    const text = Array.isArray(value) ? value.join(',') : String(value ?? '')
    if (text !== '') search.set(name, text)
  }
  return search.size === 0 ? named : `${named}?${search.toString().replaceAll('%2C', ',')}`
}

/** Proxies refuse an encoded slash; `path` alone has slashes. */
const encodedParameter = (name: string, value: string): string => {
  const encoded = encodeURIComponent(value)
  return name === 'path' ? encoded.replaceAll('%2F', '/') : encoded
}

/** The `before` of the next page, out of a `Link` header. */
export function nextBefore(link: string | null | undefined): string | undefined {
  const [, url] = /<([^>]+)>;\s*rel="next"/.exec(link ?? '') ?? []
  return url === undefined ? undefined : (/[?&]before=([^&]+)/.exec(url)?.[1] ?? undefined)
}

/** One request. Every expected outcome is a value. Before an act the person is checked; a dry run is none. */
export async function call<M extends Method, P extends PathWith<M>>(
  method: M,
  path: P,
  { body, headers = {}, signal, ...address }: Request<BodyOf<M, P>> = {},
): Promise<Result<Answer<AnswerOf<M, P>>>> {
  const isAct = method !== 'get' && address.query?.['dryRun'] !== true
  const refusal = isAct ? await refusalOfAct() : undefined
  if (refusal !== undefined) return { ok: false, problem: refusal }
  return send<AnswerOf<M, P>>(urlOf(path, address), {
    method: method.toUpperCase(),
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal !== undefined && { signal }),
  })
}

/** Status 304 is a success without a value. */
export async function send<Value>(url: string, init: RequestInit): Promise<Result<Answer<Value>>> {
  const answer = await request(url, init)
  if (!answer.ok) return answer
  const { status, headers } = answer.value
  const isEmpty = status === 204 || status === 304
  const value = isEmpty ? undefined : await jsonOf(answer.value)
  if (value === undefined && !isEmpty) return { ok: false, problem: unexpectedAnswer(answer.value) }
  return { ok: true, value: { value: described<Value>(value), status, headers } }
}

/** The successful answer, whose body is not read yet. */
export async function request(url: string, init: RequestInit): Promise<Result<Response>> {
  let response: Response
  try {
    response = await fetch(url, init)
  } catch {
    return { ok: false, problem: unreachable }
  }
  if (response.ok || response.status === 304) return { ok: true, value: response }
  const problem = await problemOf(response)
  if (response.status === 401) noteUnauthorized(problem)
  return { ok: false, problem }
}

const unreachable: Problem = {
  status: 0,
  code: 'unreachable',
  title: 'Portico does not answer',
  detail: 'The connection or the service is down. This page tries again by itself.',
}

const unexpectedAnswer = ({ status, headers }: Response): Problem => ({
  status,
  code: 'unexpected_answer',
  title: `Something between this page and Portico answered ${status}`,
  detail: 'A proxy may be down or misconfigured.',
  ...requestIdOf(headers),
})

const requestIdOf = (headers: Headers) => {
  const requestId = headers.get('x-request-id')
  return requestId === null ? {} : { requestId }
}

async function jsonOf(response: Response): Promise<unknown> {
  try {
    return await response.json()
  } catch {
    return undefined
  }
}

async function problemOf(response: Response): Promise<Problem> {
  const body = await jsonOf(response)
  const seconds = Number(response.headers.get('retry-after') ?? 'none')
  const problem = isProblem(body) ? body : unexpectedAnswer(response)
  return Number.isFinite(seconds) ? { ...problem, retryAfter: seconds } : problem
}

const isProblem = (body: unknown): body is Problem =>
  typeof body === 'object' && body !== null && 'code' in body && 'title' in body

/** The server's tests check every answer against the document that the types are made from. */
function described<Value>(json: unknown): Value {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return json as Value
}
