import type { IncomingMessage, ServerResponse } from 'node:http'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Answer } from '#tests/peers/forge/answer.ts'
import { createFaults, type FaultRule } from '#tests/peers/forge/faults.ts'
import {
  type GitArrival,
  type GitCallName,
  type GitServing,
  isGitPath,
  serveGit,
} from '#tests/peers/forge/git-http.ts'
import { listen, readBody } from '#tests/peers/forge/listen.ts'
import { deliver } from '#tests/peers/forge/send.ts'
import { answerApi } from './api.ts'
import { findOperation } from './description.ts'
import { type Flavour, GITEA_1_26 } from './flavour.ts'
import { admitGit } from './git-http.ts'
import type { OperationId } from './operations.ts'
import { downloadAsset } from './operations/releases.ts'
import { State, type Token } from './state.ts'

/** Calls that are no operation of the REST API. */
type OtherCall = 'attachment' | 'unknown'
export type CallName = OperationId | OtherCall | GitCallName

/** A request that arrived. */
interface Arrival {
  readonly name: CallName
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly authorization: string | undefined
}

export interface Gitea extends AsyncDisposable {
  readonly url: string
  readonly state: State
  /** Requests in the order of their arrival, without those of git. */
  readonly arrivals: Arrival[]
  /** Requests of git. */
  readonly gitArrivals: GitArrival[]
  /** Deviations from Gitea's description. What is left of them at the end fails the test. */
  readonly deviations: string[]
  /** Round trip of every call. */
  latencyMs: number
  fail(rule: FaultRule<CallName>): void
  mend(): void
}

export const TOKEN = '0123456789abcdef0123456789abcdef01234567'
const API = '/api/v1'

/**
 * A Gitea that keeps its state in bare git repositories in a folder of its own, with an organization `acme` and an account
 * `portico` whose token may do everything. Requests to it and answers of it are checked against Gitea's description.
 */
export async function startGitea(flavour: Flavour = GITEA_1_26): Promise<Gitea> {
  await using stack = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'portico-gitea-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const state = new State(folder, flavour)
  stack.defer(async () => {
    await Promise.all(state.repositories.map(({ git }) => git.stop()))
  })
  state.addAccount('acme', 'organization')
  const account = state.addAccount('portico', 'person')
  state.tokens.set(TOKEN, { account, rights: 'admin', scope: 'all' })

  const arrivals: Arrival[] = []
  const gitArrivals: GitArrival[] = []
  const deviations: string[] = []
  const faults = createFaults<CallName>()

  const delay = async () => {
    if (gitea.latencyMs > 0) await Bun.sleep(gitea.latencyMs)
  }
  const git: GitServing = {
    arrivals: gitArrivals,
    faults,
    delay,
    admit: (asked) => admitGit(state, asked, tokenOf(state, asked.authorization)),
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', state.url)
    if (isGitPath(url.pathname)) return await serveGit(git, request, response)
    const body = await readBody(request)
    const name = nameOf(request, url)
    const method = request.method ?? 'GET'
    const { authorization } = request.headers
    arrivals.push({ name, method, path: `${url.pathname}${url.search}`, authorization })
    const fault = faults.next(name, method !== 'GET')
    await delay()
    if (fault?.kind === 'wait') await fault.until
    const isBefore = (fault?.kind === 'reset' || fault?.kind === 'answer') && fault.after !== true
    if (isBefore) return deliver(request, response, { status: 500 }, fault)
    deliver(request, response, await answerTo(request, url, body), fault)
  }

  async function answerTo(request: IncomingMessage, url: URL, body: Buffer): Promise<Answer> {
    const token = tokenOf(state, request.headers['authorization'])
    if (url.pathname.startsWith('/attachments/')) {
      const uuid = url.pathname.slice('/attachments/'.length)
      const mayRead = token !== null && token.rights !== 'none'
      return downloadAsset(state, uuid, mayRead, request.headers['range'] ?? null)
    }
    const operation = findOperation(request.method ?? 'GET', url.pathname.slice(API.length))
    if (operation === undefined || !url.pathname.startsWith(API)) {
      deviations.push(`Gitea describes no ${request.method} ${url.pathname}`)
      return { status: 404, headers: TEXT, body: Buffer.from('404 page not found\n') }
    }
    return await answerApi(state, { request, url, body, operation, token }, deviations)
  }

  const { origin } = stack.use(await listen(serve, deviations))
  state.url = origin
  const closing = stack.move()
  const gitea: Gitea = {
    url: state.url,
    state,
    arrivals,
    gitArrivals,
    deviations,
    latencyMs: 0,
    fail: (rule) => faults.plan(rule),
    mend: () => faults.clear(),
    async [Symbol.asyncDispose]() {
      await closing.disposeAsync()
      if (deviations.length > 0) throw new Error(`not as Gitea: ${deviations.join('; ')}`)
    },
  }
  return gitea
}

const TEXT = { 'content-type': 'text/plain; charset=utf-8' }

function nameOf(request: IncomingMessage, url: URL): CallName {
  if (url.pathname.startsWith('/attachments/')) return 'attachment'
  return findOperation(request.method ?? 'GET', url.pathname.slice(API.length))?.id ?? 'unknown'
}

/** `token …`, `Bearer …`, or Basic with the token as the password. */
function tokenOf(state: State, header: string | undefined): Token | null {
  const [, scheme = '', value = ''] = /^(\S+) (.+)$/.exec(header ?? '') ?? []
  if (/^(token|bearer)$/i.test(scheme)) return state.tokens.get(value) ?? null
  if (!/^basic$/i.test(scheme)) return null
  const [user = '', password = ''] = Buffer.from(value, 'base64').toString().split(':')
  return state.tokens.get(password) ?? state.tokens.get(user) ?? null
}
