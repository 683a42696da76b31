import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { GitHost } from '#src/lib/ports/git-host.ts'
import type { OidcPeer } from '#tests/peers/oidc-provider.ts'
import { type CookieJar, createCookieJar } from './browser-jar.ts'
import { type ChangedFiles, commitFiles } from './commit-files.ts'
import { makeGitHost, PORTAL_HOST, settingsAt } from './installation.ts'
import { GITOPS, WEBHOOK_TOKEN } from './portal.ts'
import { type PorticoProcess, startPortico } from './portico-process.ts'
import { valueOf } from './value-of.ts'

/** Replicas of the real program, each with a data directory of its own, that share repositories, secrets and a database. */

const HOST = { host: PORTAL_HOST }

export interface Replicas extends AsyncDisposable {
  /** Everything that the replicas keep on disk. */
  readonly directory: string
  readonly git: GitHost
  /** Starts one more replica, of the program under test or of another one. */
  start(program?: readonly string[]): Promise<PorticoProcess>
  /** Writes files on the default branch of the gitops repository. */
  commit(files: ChangedFiles): Promise<void>
}

export async function openReplicas(variables: Readonly<Record<string, string>>): Promise<Replicas> {
  const directory = await mkdtemp(join(tmpdir(), 'portico-replicas-'))
  const shared = join(directory, 'shared')
  const git = await makeGitHost(join(shared, 'git'))
  let replicas = 0
  const running: PorticoProcess[] = []

  return {
    directory,
    git,
    async start(program) {
      replicas += 1
      const data = join(directory, `replica-${replicas}`)
      await mkdir(data)
      await symlink(join(shared, 'git'), join(data, 'git'))
      const environment = { ...settingsAt(data), LOG_LEVEL: 'warn', ...variables }
      const replica = await startPortico(['serve'], environment, undefined, program)
      running.push(replica)
      return replica
    },
    async commit(files) {
      valueOf(await commitFiles(git, GITOPS, files))
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(running.map((replica) => replica[Symbol.asyncDispose]()))
      await rm(directory, { recursive: true, force: true })
    },
  }
}

export type ReplicaRequest = Omit<RequestInit, 'headers'> & {
  readonly headers?: Readonly<Record<string, string>>
  /** Sent in JSON, by POST. */
  readonly json?: unknown
}

/** A browser that asks whichever replica it is told to. */
export interface ReplicaBrowser {
  readonly jar: CookieJar
  ask(replica: { readonly url: string }, target: string, init?: ReplicaRequest): Promise<Response>
}

function createBrowser(): ReplicaBrowser {
  const jar = createCookieJar()
  return {
    jar,
    async ask({ url }, target, { json, ...init } = {}) {
      const cookie = jar.header(target)
      const type = json !== undefined && { 'content-type': 'application/json' }
      const response = await fetch(`${url}${target}`, {
        redirect: 'manual',
        ...(json !== undefined && { method: 'POST', body: JSON.stringify(json) }),
        ...init,
        headers: { ...HOST, ...(cookie && { cookie }), ...type, ...init.headers },
      })
      jar.take(response)
      return response
    },
  }
}

/** Signs in for real: the first replica begins, the second completes. */
export async function signIn(
  provider: OidcPeer,
  person: string,
  first: { readonly url: string },
  second = first,
): Promise<ReplicaBrowser> {
  const browser = createBrowser()
  const begun = await browser.ask(first, '/api/v1/auth/login?return_to=/docs')
  const callback = await provider.authorize(begun.headers.get('location') ?? '', person)
  const completed = await browser.ask(second, `${callback.pathname}${callback.search}`)
  if (completed.status !== 303) throw new Error(`${completed.status} ${await completed.text()}`)
  return browser
}

export const refreshCatalog = ({ url }: { readonly url: string }): Promise<Response> =>
  fetch(`${url}/api/v1/webhooks/catalog/refresh`, {
    method: 'POST',
    headers: { ...HOST, authorization: `Bearer ${WEBHOOK_TOKEN}` },
  })
