import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFaults, type FaultRule } from '#tests/peers/forge/faults.ts'
import type { GitArrival } from '#tests/peers/forge/git-http.ts'
import { listen } from '#tests/peers/forge/listen.ts'
import type { Behaviour } from './call.ts'
import { descriptionOf, type Flavour } from './description.ts'
import type { CallName } from './call-name.ts'
import { admitGit } from './git-http.ts'
import { handlersOf } from './handlers.ts'
import { createLimits, type Limit } from './limits.ts'
import { apiListener } from './api-listener.ts'
import type { Arrival, Parts } from './parts.ts'
import { storageListener } from './storage-listener.ts'
import { createState, EVERY_RIGHT, type Account, type Credential, type State } from './state.ts'
import { createStorage } from './storage.ts'

export interface GitHubOptions {
  readonly flavour?: Flavour
  readonly now?: () => number
  readonly behaviour?: Partial<Behaviour>
  /** Whether requests and answers are checked against the description; by default they are. */
  readonly isChecked?: boolean
}

export interface GitHub extends AsyncDisposable {
  /** Root of the API, without a slash at the end. */
  readonly apiUrl: string
  /** URL of the pages, which it does not serve. */
  readonly webUrl: string
  readonly storageOrigin: string
  /** Origin of repositories for the program git: `<gitUrl>/<owner>/<name>.git`. */
  readonly gitUrl: string
  /** Folder of the bare repositories. */
  readonly directory: string
  readonly state: State
  readonly behaviour: Behaviour
  /** Requests in the order of their arrival, without those of git. */
  readonly arrivals: Arrival[]
  /** Requests of git. */
  readonly gitArrivals: GitArrival[]
  /** Deviations from GitHub's description. What is left of them at the end fails the test. */
  readonly deviations: string[]
  /** Round trip of every call. */
  latencyMs: number
  addCredential(secret: string, more: Partial<Credential> & { readonly account: Account }): void
  fail(rule: FaultRule<CallName>): void
  mend(): void
  setLimit(limit: Limit | undefined): void
}

const BEHAVIOUR: Behaviour = {
  emptyCalls: 1,
  hiddenCalls: 0,
  assets: 'redirect',
  tokenLifeMs: 3_600_000,
  privateRepositories: true,
  visibilityChanges: true,
  defaultBranch: 'main',
}

/**
 * A GitHub that keeps its state in bare git repositories in a folder of its own. Requests to it and answers of it are checked
 * against GitHub's description.
 */
export async function startGitHub(options: GitHubOptions = {}): Promise<GitHub> {
  const { flavour = 'api.github.com', now = Date.now } = options
  await using stack = new AsyncDisposableStack()
  const directory = await mkdtemp(join(tmpdir(), 'portico-github-'))
  stack.defer(() => rm(directory, { recursive: true, force: true }))
  const state = createState(now)
  stack.defer(async () => {
    const repositories = new Set([...state.repositories.values(), ...state.formerNames.values()])
    await Promise.all([...repositories].map(({ git }) => git.stop()))
  })
  const isEnterprise = flavour !== 'api.github.com'
  const root = isEnterprise ? '/api/v3' : ''
  const behaviour = { ...BEHAVIOUR, ...options.behaviour }
  const arrivals: Arrival[] = []
  const gitArrivals: GitArrival[] = []
  const deviations: string[] = []
  const faults = createFaults<CallName>()
  const limits = createLimits(now, isEnterprise)
  const description = await descriptionOf(flavour)

  let parts: Parts | undefined
  const running = () => {
    if (parts === undefined) throw new Error('not started')
    return parts
  }
  const api = stack.use(await listen(apiListener(running, root), deviations))
  const files = stack.use(await listen(storageListener(running), deviations))
  const storage = createStorage(state, () => files.origin)
  const links = {
    api: `${api.origin}${root}`,
    web: isEnterprise ? api.origin : 'https://github.com',
    storage: files.origin,
  }
  const handlers = handlersOf(directory, storage)
  const delay = async () => {
    if (github.latencyMs > 0) await Bun.sleep(github.latencyMs)
  }
  parts = {
    state,
    links,
    behaviour,
    description,
    handlers,
    limits,
    faults,
    storage,
    arrivals,
    deviations,
    git: {
      arrivals: gitArrivals,
      faults,
      delay,
      admit: (asked) => admitGit({ state, origin: api.origin, webUrl: links.web }, asked),
    },
    delay,
    isChecked: options.isChecked ?? true,
  }
  const closing = stack.move()
  const github: GitHub = {
    apiUrl: links.api,
    webUrl: links.web,
    storageOrigin: files.origin,
    gitUrl: api.origin,
    directory,
    state,
    behaviour,
    arrivals,
    gitArrivals,
    deviations,
    latencyMs: 0,
    addCredential(secret, more) {
      state.credentials.set(secret, {
        kind: 'personal',
        rights: EVERY_RIGHT,
        repositories: 'all',
        expiresAt: null,
        ...more,
      })
    },
    fail: (rule) => faults.plan(rule),
    mend: () => faults.clear(),
    setLimit(limit) {
      limits.limit = limit
    },
    async [Symbol.asyncDispose]() {
      await closing.disposeAsync()
      if (deviations.length > 0) throw new Error(`not as GitHub: ${deviations.join('; ')}`)
    },
  }
  return github
}
