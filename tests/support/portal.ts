import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '#src/config/config.ts'
import { createDiskAssetCache } from '#src/lib/adapters/asset-cache/disk.ts'
import type { SecretVersionName } from '#src/lib/ports/database/secret-versions.ts'
import { openWorkloadTokens } from '#src/lib/adapters/identity/index.ts'
import { openDatabase } from '#src/lib/adapters/database/index.ts'
import { createLocalGitHost, type LocalGitHost } from '#src/lib/adapters/hosts/forge/index.ts'
import { createKubernetes } from '#src/lib/adapters/clusters/index.ts'
import { createFileSecretStore } from '#src/lib/adapters/secret-store/file/index.ts'
import { createDemoIdentity, type DemoIdentity } from '#src/demo/identity.ts'
import { people } from '#src/demo/people.ts'
import { keepSigningKey } from '#src/demo/keys.ts'
import { openApiText } from '#src/lib/presenters/openapi.ts'
import type { WorkloadRule } from '#src/lib/domain/access/grants/workload-rule.ts'
import type { AccessEntry } from '#src/lib/logging/access-log.ts'
import { type RepositoryId, RepositoryPart, RepositoryPath } from '#src/lib/names.ts'
import type { Clock } from '#src/lib/ports/clock.ts'
import type { ConnectionSubject } from '#src/lib/domain/connections.ts'
import type { Cluster } from '#src/lib/ports/clusters.ts'
import type { SecretStore } from '#src/lib/ports/secret-store.ts'
import type { MergePolicy } from '#src/lib/ports/forge.ts'
import type { GitHost, Releases } from '#src/lib/ports/git-host.ts'
import type {
  IdentityProvider,
  IdentityTokens,
  Principal,
  RenewalFailure,
} from '#src/lib/ports/identity.ts'
import { type KeptBytes, nothingKept } from '#src/lib/ports/kept-bytes.ts'
import { err, ok } from '#src/lib/result.ts'
import { createPortal, type Portal } from '#src/compose/portal.ts'
import { decodeJwt } from 'jose'
import pino from 'pino'
import { type ChangedFiles, commitFiles } from './commit-files.ts'
import { ephemeralKeyring } from './ephemeral-keyring.ts'
import { makeRepository } from './made-repositories.ts'
import { documentedBy, expectDocumented } from './openapi.ts'
import { pipelineOf } from './pipeline.ts'
import { shared } from './shared.ts'
import { valueOf } from '#tests/support/value-of.ts'

export const ORIGIN = 'http://portal.test:8080'
export const WEBHOOK_TOKEN = 'webhook-token-of-the-tests'
const AUTHOR = { name: 'Ann', email: 'ann@acme.example' }

/** People and their groups at the identity provider. */
const PEOPLE = {
  dev: ['payments'],
  manager: ['payments', 'payments:Managers'],
  platform: ['platform-team'],
  outsider: ['shipping'],
} as const

export type Person = keyof typeof PEOPLE
const NAMES = ['dev', 'manager', 'platform', 'outsider'] as const satisfies Person[]

export interface TestPortal extends AsyncDisposable {
  /** What its own secret store holds. */
  secretVersions(): Promise<readonly SecretVersionName[]>
  /** The bare gitops repository. */
  readonly repository: string
  readonly portal: Portal
  /** Issuer of the tokens in the people's sessions. */
  readonly identity: DemoIdentity
  readonly provider: TestProvider
  readonly clock: { now(): number; advance(ms: number): void }
  /** Where the embedded git host keeps its files. */
  readonly directory: string
  readonly git: GitHost & { readonly calls: string[]; failWith: GitFailureKind | undefined }
  readonly access: readonly AccessEntry[]
  readonly logged: readonly string[]
  /** Sends a request through the whole application and checks the answer against the OpenAPI document. */
  request(path: string, init?: TestRequest): Promise<Response>
  /** Opens a session, unless there is one; with these tokens of the provider, always another one. */
  signIn(person: Person, tokens?: IdentityTokens | null): Promise<string>
  /** Makes the next request of this person open a new session. */
  forget(person: Person): void
  /** The embedded git host, past its pages. */
  readonly host: LocalGitHost
  /** Acts as the platform team on the git host. */
  merge(pullRequest: number): Promise<void>
  closePull(pullRequest: number): Promise<void>
  /** Writes (or with `null` deletes) files on the default branch, in one commit. */
  commit(files: ChangedFiles, repository?: RepositoryId): Promise<void>
}

/** What the identity provider says of people when a session is renewed, and how often it was asked. */
export interface TestProvider {
  /** Subjects, in the order of the renewals. */
  readonly asked: string[]
  readonly groups: Record<Person, readonly string[]>
  /** Answers in the provider's place. */
  failure: RenewalFailure | undefined
  /** Answers wait for it. */
  pace: Promise<unknown>
}

export type TestRequest = RequestInit & {
  readonly as?: Person
  /** Address of the connection. */
  readonly from?: string
  readonly undocumented?: true
  /** Sent in JSON, by POST unless another method is named. */
  readonly json?: unknown
}

type GitFailureKind =
  'git_host_unreachable' | 'git_host_timeout' | 'git_host_error' | 'git_rate_limited'

export const component = (name: string, more = ''): string =>
  `apiVersion: portico/v1\nkind: Component\nmetadata:\n  name: ${name}\nspec:\n  type: service\n  lifecycle: development\n  owner: group:acme/payments\n  system: checkout\n${more}`

export const path = (text: string): RepositoryPath => {
  const parsed = RepositoryPath.parse(text)
  if (parsed === undefined) throw new Error(`not a path: ${text}`)
  return parsed
}

const part = (text: string): RepositoryPart => {
  const parsed = RepositoryPart.parse(text)
  if (parsed === undefined) throw new Error(`not a repository part: ${text}`)
  return parsed
}

export const GITOPS: RepositoryId = { owner: part('acme'), name: part('gitops') }
export const TEMPLATES: RepositoryId = { owner: part('acme'), name: part('templates') }

/** A minimal template. */
export const template = (id: string, more: Readonly<Record<string, unknown>> = {}): string =>
  JSON.stringify({
    id,
    title: 'A service',
    description: 'Serves',
    type: 'service',
    tags: ['http'],
    owner: 'group:acme/platform-team',
    version: '1.0.0',
    deprecated: false,
    features: {
      database: { supported: true, default: false },
      externalSecrets: { supported: true, default: true },
      ingress: { supported: true, default: true },
    },
    ...more,
  })

const TEMPLATE: Readonly<Record<string, string>> = {
  'templates/service/template.yaml': template('service'),
  'templates/service/skeleton/README.md': '# {{ values.appName }}\n\n{{ values.description }}\n',
  'templates/service/skeleton/src/{{ values.appName }}.txt': 'for {{ values.team }}\n',
  'templates/service/skeleton/.github/workflows/ci.yaml': 'run: echo ${{ github.sha }}\n',
}

/** A portal on real adapters: the embedded git host in a temporary folder and SQLite in memory. Only the clock is simulated. */
export async function openPortal({
  files = { 'catalog/payments/components/payments-api.yaml': component('payments-api') },
  templates = TEMPLATE,
  environment = {},
  clusters = [],
  connections = [],
  releases,
  cacheBytes = 64 * 1024 * 1024,
  clusterDeadlineMs = 10_000,
  databaseUrl = 'sqlite::memory:',
  openIdentity,
  openSecretStore = (files) => files,
  parsedCatalog = nothingKept,
  policy,
  workloads,
}: {
  readonly files?: Readonly<Record<string, string | Uint8Array>>
  readonly templates?: Readonly<Record<string, string | Uint8Array>>
  readonly environment?: Readonly<Record<string, string>>
  readonly clusters?: readonly Cluster[]
  readonly connections?: readonly ConnectionSubject[]
  /** In the place of the embedded git host's. */
  readonly releases?: Releases
  readonly cacheBytes?: number
  readonly clusterDeadlineMs?: number
  readonly databaseUrl?: string
  /** In the place of the provider that signs the people in. */
  readonly openIdentity?: (clock: Clock) => IdentityProvider
  /** In the place of the file store, or around it. */
  readonly openSecretStore?: (files: SecretStore) => SecretStore
  /** What a process leaves to the next. */
  readonly parsedCatalog?: KeptBytes
  /** Who merges at the embedded git host. */
  readonly policy?: MergePolicy
  /** Jobs that act for a team, by these rules now. */
  readonly workloads?: () => readonly WorkloadRule[]
} = {}): Promise<TestPortal> {
  const directory = await mkdtemp(join(tmpdir(), 'portico-'))
  const clock = createTestClock()
  const local = createLocalGitHost({
    directory,
    publicUrl: ORIGIN,
    clock,
    ...(policy && { policy }),
  })
  await makeRepository(directory, GITOPS, files)
  await makeRepository(directory, TEMPLATES, templates)

  const database = valueOf(await openDatabase(databaseUrl))
  const config = valueOf(
    readConfig(
      {
        PUBLIC_URL: ORIGIN,
        SESSION_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
        SECRET_STORE_KEYS: `s1:${Buffer.alloc(32, 8).toString('base64')}`,
        GITOPS_REPOSITORY: 'acme/gitops',
        WEBHOOK_TOKEN,
        ...environment,
      },
      () => '',
    ),
  )

  const access: AccessEntry[] = []
  const logged: string[] = []
  const git = observed(releases ? { ...local, releases } : local)
  const log = {
    events: pino({ level: 'debug' }, { write: (line: string) => void logged.push(line) }),
    access: { record: (entry: AccessEntry) => void access.push(entry) },
  }
  const identity = createDemoIdentity(keepSigningKey(join(directory, 'signing-key')), clock)
  const principalOf = (person: Person): Principal => ({
    issuer: 'https://id.acme.example',
    subject: person,
    name: person,
    email: `${person}@acme.example`,
    groups: { kind: 'known', names: provider.groups[person] },
  })
  const provider: TestProvider = {
    asked: [],
    groups: { ...PEOPLE },
    failure: undefined,
    pace: Promise.resolve(),
  }
  const renew: IdentityProvider['renew'] = async (tokens) => {
    const { sub } = decodeJwt(tokens.idToken)
    const person = NAMES.find((name) => name === sub)
    if (person === undefined) throw new Error('nobody known')
    provider.asked.push(person)
    await provider.pace
    if (provider.failure !== undefined) return err(provider.failure)
    const renewed = await identity.renew(tokens)
    return renewed.ok ? ok({ ...renewed.value, principal: principalOf(person) }) : renewed
  }
  const signIn: IdentityProvider['signIn'] = async (...args) => {
    const signedIn = await identity.signIn(...args)
    const person = NAMES.find((name) => signedIn.ok && name === signedIn.value.principal.subject)
    return signedIn.ok && person !== undefined
      ? ok({ ...signedIn.value, principal: { ...principalOf(person), name: people[person].name } })
      : signedIn
  }
  const portal = createPortal({
    parsedCatalog,
    gitHost: git,
    forge: { host: local },
    secretStore: openSecretStore(
      createFileSecretStore({
        versions: () => database.secretVersions,
        keyring: ephemeralKeyring(),
      }),
    ),
    assetCache: createDiskAssetCache({
      directory: join(directory, 'cli-assets'),
      maxBytes: cacheBytes,
      stallMs: 1_000,
    }),
    database: database,
    identity: openIdentity?.(clock) ?? { ...identity, renew, signIn },
    ...(workloads && { workloads: { rules: workloads, tokens: openWorkloadTokens(clock) } }),
    kubernetes: createKubernetes({ deadlineMs: clusterDeadlineMs }),
    clusterRegistry: () => clusters,
    connections,
    keyring: ephemeralKeyring(),
    digestKeyring: ephemeralKeyring('digests'),
    clock,
    log,
    publicUrl: config.PUBLIC_URL,
    config: config,
  })

  const { ENVIRONMENTS } = environment
  const isDocumented =
    ENVIRONMENTS === undefined
      ? expectDocumented
      : documentedBy(JSON.parse(openApiText(pipelineOf(ENVIRONMENTS))))

  const tokens = new Map<Person, string>()
  async function sessionOf(person: Person, own?: IdentityTokens | null): Promise<string> {
    const known = tokens.get(person)
    if (known !== undefined && own === undefined) return known
    const opened = valueOf(
      await portal.sessions.open({
        principal: principalOf(person),
        sid: null,
        address: null,
        userAgent: null,
        tokens: own === undefined ? (await identity.signInAs(people[person])).tokens : own,
      }),
    )
    tokens.set(person, opened.token)
    return opened.token
  }

  return {
    directory,
    async secretVersions() {
      return valueOf(await database.secretVersions.list(null, 1_000))
    },
    repository: join(directory, 'acme/gitops.git'),
    portal,
    identity,
    provider,
    clock,
    git,
    host: local,
    access,
    logged,
    signIn: sessionOf,
    forget: (person) => void tokens.delete(person),
    async request(path, { as, from, undocumented, json, ...init } = {}) {
      const headers = new Headers(init.headers)
      if (json !== undefined) headers.set('content-type', 'application/json')
      if (!headers.has('host')) headers.set('host', new URL(ORIGIN).host)
      if (as !== undefined) headers.set('cookie', `portal_session=${await sessionOf(as)}`)
      const body = json !== undefined && { method: 'POST', body: JSON.stringify(json) }
      const request = new Request(`${ORIGIN}${path}`, { ...body, ...init, headers })
      const response = await portal.app.fetch(request, {
        requestIP: () => (from === undefined ? null : { address: from }),
      })
      if (undocumented !== true) await isDocumented(request, response)
      return response
    },
    async merge(number) {
      const merged = await local.mergePullRequest(GITOPS, number, { by: AUTHOR })
      if (!merged.ok) throw new Error(merged.error.kind)
    },
    async closePull(number) {
      const closed = await local.closePullRequest(GITOPS, number, AUTHOR)
      if (!closed.ok) throw new Error(closed.error.kind)
    },
    async commit(changed, repository = GITOPS) {
      valueOf(await commitFiles(local, repository, changed))
    },
    async [Symbol.asyncDispose]() {
      portal.drain()
      await portal.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** One portal for the tests of a file or a `describe` that change nothing in it. */
export const sharedPortal = (open: () => Promise<TestPortal> = openPortal) => shared(open)

/** To the beginning of the next minute, for all at once: limits count by minutes of the clock. */
export function nextMinute(portal: TestPortal, ...others: readonly TestPortal[]): void {
  const ms = 60_000 - (portal.clock.now() % 60_000)
  for (const { clock } of [portal, ...others]) clock.advance(ms)
}

function createTestClock() {
  let ahead = 0
  return {
    now: () => Date.now() + ahead,
    elapsed: () => performance.now() + ahead,
    advance(ms: number) {
      ahead += ms
    },
  }
}

/** The git host with counted calls, unreachable on demand. */
function observed(host: GitHost): TestPortal['git'] {
  const calls: string[] = []
  const git: TestPortal['git'] = {
    ...host,
    calls,
    failWith: undefined,
    async head(...args) {
      calls.push('head')
      return git.failWith === undefined
        ? host.head(...args)
        : {
            ok: false,
            error: { kind: git.failWith, reason: 'on demand', retryAfterSeconds: 10_800 },
          }
    },
    async listFiles(...args) {
      calls.push('listFiles')
      return host.listFiles(...args)
    },
    readFiles(...args) {
      calls.push('readFiles')
      return host.readFiles(...args)
    },
  }
  return git
}
