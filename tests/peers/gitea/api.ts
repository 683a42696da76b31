import type { IncomingMessage } from 'node:http'
import type { Answer } from '#tests/peers/forge/answer.ts'
import { Refusal } from './answer.ts'
import type { Call } from './call.ts'
import { answerDeviations, type FoundOperation, requestDeviations } from './description.ts'
import { handlers } from './handlers.ts'
import { fullName, type State, type Token } from './state.ts'

interface ApiRequest {
  readonly request: IncomingMessage
  readonly url: URL
  readonly body: Buffer
  readonly operation: FoundOperation
  readonly token: Token | null
}

const ROOT = '/api/v1'
const UNKNOWN: Token = {
  account: { id: 0, login: '', kind: 'person' },
  rights: 'none',
  scope: 'all',
}

/** One call of the REST API. What is not as described goes to `deviations`. */
export async function answerApi(
  state: State,
  { request, url, body, operation, token }: ApiRequest,
  deviations: string[],
): Promise<Answer> {
  const { id, parameters } = operation
  const method = request.method ?? 'GET'
  try {
    const isAnonymous = request.headers['authorization'] === undefined
    if (token === null && !isAnonymous) {
      throw new Refusal(401, 'invalid username, password or token')
    }
    if (token?.scope === 'read:repository') refuseOutsideOfScope(url, method)
    const { owner = '', repo = '' } = parameters
    const renamed = state.redirects.get(`${owner}/${repo}`.toLowerCase())
    if (renamed !== undefined && state.repository(owner, repo) === undefined) {
      const rest = url.pathname.split('/').slice(6)
      const there = [`${ROOT}/repos/${fullName(renamed)}`, ...rest].join('/')
      return { status: 301, headers: { location: `${there}${url.search}` } }
    }
    const { json, form } = await parse(request, body)
    deviations.push(...requestDeviations(id, url.searchParams, json))
    const call: Call = {
      state,
      token: token ?? UNKNOWN,
      method,
      parameters,
      query: url.searchParams,
      headers: { 'if-none-match': request.headers['if-none-match'] },
      body: json,
      form,
    }
    const answer = await handlers[id](call)
    const isJson = !(answer.body instanceof Uint8Array)
    if (isJson) deviations.push(...answerDeviations(id, answer.status, answer.body))
    return answer
  } catch (error) {
    if (error instanceof Refusal) return error.answer
    throw error
  } finally {
    notice(state, parameters)
  }
}

/** Gitea's queue of pushes advances by one with every call about the repository. */
function notice(state: State, { owner = '', repo = '' }: FoundOperation['parameters']): void {
  const repository = state.repository(owner, repo)
  if (repository !== undefined && (repository.unnoticed ?? 0) > 0) {
    repository.unnoticed = (repository.unnoticed ?? 0) - 1
  }
}

function refuseOutsideOfScope({ pathname }: URL, method: string): void {
  const category = pathname.startsWith(`${ROOT}/user`) ? 'user' : 'repository'
  const needed = `${method === 'GET' ? 'read' : 'write'}:${category}`
  if (needed === 'read:repository') return
  const scopes = `required=[${needed}], token scope=read:repository`
  throw new Refusal(403, `token does not have at least one of required scope(s), ${scopes}`)
}

async function parse(request: IncomingMessage, body: Buffer) {
  const type = request.headers['content-type'] ?? ''
  if (type.startsWith('multipart/form-data')) {
    const response = new Response(Uint8Array.from(body), { headers: { 'content-type': type } })
    return { json: undefined, form: await response.formData() }
  }
  if (body.length === 0) return { json: undefined, form: null }
  try {
    return { json: JSON.parse(body.toString()) as unknown, form: null }
  } catch {
    throw new Refusal(422, 'invalid character')
  }
}
