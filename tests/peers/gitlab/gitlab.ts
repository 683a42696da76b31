import type { IncomingMessage, ServerResponse } from 'node:http'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Answer } from '#tests/peers/forge/answer.ts'
import { createFaults, type FaultRule } from '#tests/peers/forge/faults.ts'
import {
  type GitAccess,
  type GitArrival,
  type GitCallName,
  type GitRequest,
  type GitServing,
  isGitPath,
  plain,
  serveGit,
} from '#tests/peers/forge/git-http.ts'
import { listen, readBody } from '#tests/peers/forge/listen.ts'
import { deliver } from '#tests/peers/forge/send.ts'
import { answerApi, findOperation, type OperationName } from './api.ts'
import { fullPath, State, type Token } from './state.ts'

export type CallName = OperationName | 'unknown' | GitCallName

/** A request that arrived. */
interface Arrival {
  readonly name: CallName
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly authorization: string | undefined
  readonly isConditional: boolean
}

export interface GitLab extends AsyncDisposable {
  readonly url: string
  readonly state: State
  /** The token that the adapter is given; its account is `portico`, a Maintainer of everything. */
  readonly token: Token
  /** Requests in the order of their arrival, without those of git. */
  readonly arrivals: Arrival[]
  readonly gitArrivals: GitArrival[]
  /** Requests that GitLab does not document. What is left of them at the end fails the test. */
  readonly deviations: string[]
  /** Headers of every answer. */
  readonly headers: Record<string, string>
  fail(rule: FaultRule<CallName>): void
  mend(): void
}

export const TOKEN = 'glpat-0123456789abcdefghij'

/**
 * A GitLab that keeps its state in bare git repositories in a folder of its own, with the groups `acme`, `acme/platform` and those of
 * their teams. The shape of its answers is checked against the types of `@gitbeaker/core`.
 */
export async function startGitLab(): Promise<GitLab> {
  await using stack = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'portico-gitlab-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const state = new State(folder)
  stack.defer(async () => {
    await Promise.all(state.projects.map(({ git }) => git.stop()))
  })
  for (const path of ['acme', 'acme/platform', 'acme/payments', 'acme/platform/payments']) {
    state.addGroup(path)
  }
  const token: Token = { user: state.addUser('portico'), level: 40, scope: 'api' }
  state.tokens.set(TOKEN, token)

  const arrivals: Arrival[] = []
  const gitArrivals: GitArrival[] = []
  const deviations: string[] = []
  const headers: Record<string, string> = {}
  const faults = createFaults<CallName>()
  const git: GitServing = {
    arrivals: gitArrivals,
    faults,
    delay: async () => {},
    admit: (asked) => admitGit(state, asked),
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', state.url)
    if (isGitPath(url.pathname)) return await serveGit(git, request, response)
    const body = await readBody(request)
    const method = request.method ?? 'GET'
    const found = findOperation(method, url.pathname)
    const name = found?.name ?? 'unknown'
    const { authorization } = request.headers
    const known = request.headers['if-none-match']
    const path = `${url.pathname}${url.search}`
    arrivals.push({ name, method, path, authorization, isConditional: known !== undefined })
    const fault = faults.next(name, method !== 'GET')
    if (fault?.kind === 'wait') await fault.until
    const isBefore = (fault?.kind === 'reset' || fault?.kind === 'answer') && fault.after !== true
    if (isBefore) return deliver(request, response, { status: 500 }, fault)
    const answer = await answerTo()
    deliver(request, response, withETag(answer, method, known), fault)

    async function answerTo(): Promise<Answer> {
      const presented = /^Bearer (.+)$/.exec(authorization ?? '')?.[1] ?? ''
      const given = state.tokens.get(presented)
      if (given === undefined) return { status: 401, body: { message: '401 Unauthorized' } }
      if (found === null) {
        deviations.push(`no ${method} ${url.pathname}`)
        return { status: 404, body: { error: '404 Not Found' } }
      }
      const json = body.length === 0 ? {} : (JSON.parse(body.toString()) as object)
      const call = { state, token: given, parts: found.parts, url, body: { ...json }, deviations }
      const told = await answerApi(found, call)
      return { ...told, headers: { ...headers, ...told.headers } }
    }
  }

  const { origin } = stack.use(await listen(serve, deviations))
  state.url = origin
  const closing = stack.move()
  return {
    url: state.url,
    state,
    token,
    arrivals,
    gitArrivals,
    deviations,
    headers,
    fail: (rule) => faults.plan(rule),
    mend: () => faults.clear(),
    async [Symbol.asyncDispose]() {
      await closing.disposeAsync()
      if (deviations.length > 0) throw new Error(`not as GitLab: ${deviations.join('; ')}`)
    },
  }
}

/** `Rack::ETag` and `Rack::ConditionalGet`, which GitLab's API runs behind. */
function withETag(answer: Answer, method: string, known: string | undefined): Answer {
  const { status, body, headers = {} } = answer
  if (method !== 'GET' || status !== 200 || body instanceof Uint8Array) return answer
  const digest = new Bun.CryptoHasher('md5').update(JSON.stringify(body)).digest('hex')
  const etag = `W/"${digest}"`
  return known === etag
    ? { status: 304, headers: { ...headers, etag } }
    : { ...answer, headers: { ...headers, etag } }
}

const HIDDEN =
  "The project you were looking for could not be found or you don't have permission to view it."

/** GitLab's access control for git (`lib/gitlab/git_access.rb`). */
function admitGit(
  state: State,
  { owner, repository, rest, service, authorization }: GitRequest,
): GitAccess | Answer {
  const [, basic = ''] = /^Basic (.+)$/.exec(authorization ?? '') ?? []
  const [user = '', password = ''] = Buffer.from(basic, 'base64').toString().split(':')
  const token = user === '' ? undefined : state.tokens.get(password)
  if (token === undefined) {
    const headers = { 'www-authenticate': 'Basic realm="GitLab"' }
    return plain(401, 'HTTP Basic: Access denied.\n', headers)
  }
  const path = `${owner}/${repository}`
  const project = state.project(path)
  const moved = project === undefined ? state.redirects.get(path.toLowerCase()) : undefined
  if (moved !== undefined) {
    return { status: 301, headers: { location: `/${fullPath(moved)}.git${rest}` } }
  }
  if (project === undefined || token.level < 20) return plain(404, HIDDEN)
  if (service === 'git-receive-pack') {
    if (project.archived) return plain(403, "You can't push code to a read-only GitLab instance.")
    if (token.level < 30) return plain(403, 'You are not allowed to push code to this project.')
  }
  return {
    git: project.git,
    environment: { GITLAB_PROTECTED: [...project.protections].join(' ') },
    afterPush: () => state.afterPush(project),
  }
}
