import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { git } from '#tests/adapters/hosts/open-local.ts'
import { startGitea, TOKEN, type Gitea } from './gitea.ts'
import type { Flavour } from './flavour.ts'

/** A Gitea or Forgejo with an organization in which tests make and remove repositories. */
export interface GiteaServer {
  /** Without a slash at its end. */
  readonly url: string
  readonly token: string
  readonly organisation: string
}

export interface Told {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Member of the JSON by its dotted path; of a list, that member of every item. */
  readonly at: (path: string) => unknown
}

export interface AskOptions {
  readonly headers?: Readonly<Record<string, string>>
  /** In place of the server's. */
  readonly token?: string
}

/** A new repository on a server, removed afterwards. */
export interface TestRepository extends AsyncDisposable {
  readonly server: GiteaServer
  readonly name: string
  /** Below `/repos/<owner>/<name>`. */
  ask(method: string, path: string, body?: object, options?: AskOptions): Promise<Told>
  /** Below the API's root. */
  askServer(method: string, path: string, body?: object, options?: AskOptions): Promise<Told>
  /** A commit of new text files on a branch, which begins at `from` where there is none. */
  write(branch: string, files: Readonly<Record<string, string>>, from?: string): Promise<string>
  /** Opens a pull request, and waits until it is checked for conflicts. */
  propose(head: string): Promise<string>
  /** Runs git in a bare repository of its own. */
  git(args: readonly string[], stdin?: string): Promise<string>
  /** For git, with credentials. */
  readonly remote: string
}

const memberAt = (json: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((node, key) => {
    if (Array.isArray(node) && !/^\d+$/.test(key) && key !== 'length') {
      return node.map((each) => memberAt(each, key))
    }
    return (node as Readonly<Record<string, unknown>> | undefined)?.[key]
  }, json)

export async function ask(
  { url, token }: Pick<GiteaServer, 'url' | 'token'>,
  method: string,
  path: string,
  body?: object,
  options: AskOptions = {},
): Promise<Told> {
  const isForm = body instanceof FormData
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    redirect: 'manual',
    // Bun repeats a PUT by itself when a connection that it used before is reset.
    keepalive: false,
    headers: {
      authorization: `token ${options.token ?? token}`,
      ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
      ...options.headers,
    },
    ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json') === true
  const json: unknown = isJson && text !== '' ? JSON.parse(text) : undefined
  return {
    status: response.status,
    headers: response.headers,
    text,
    at: (member) => (member === '' ? json : memberAt(json, member)),
  }
}

/** Asks until the answer is as wanted: Gitea does much in the background. */
export async function askUntil(isWanted: (told: Told) => boolean, once: () => Promise<Told>) {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const told = await once()
    if (isWanted(told)) return told
    await Bun.sleep(100)
  }
  throw new Error('the server did not do it')
}

export async function openRepository(
  server: GiteaServer,
  seed: Readonly<Record<string, string>> | null,
): Promise<TestRepository> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-gitea-client-'))
  const name = `portico-${crypto.randomUUID()}`
  const path = `/repos/${server.organisation}/${name}`
  const facts = { name, private: true, default_branch: 'main' }
  const made = await ask(server, 'POST', `/orgs/${server.organisation}/repos`, facts)
  if (made.status !== 201) throw new Error(`no repository: ${made.text}`)
  const repository: TestRepository = {
    server,
    name,
    remote: `${server.url.replace('://', `://portico:${server.token}@`)}/${server.organisation}/${name}.git`,
    ask: (method, rest, body, options) => ask(server, method, `${path}${rest}`, body, options),
    askServer: (method, rest, body, options) => ask(server, method, rest, body, options),
    async write(branch, files, from) {
      const operations = Object.entries(files).map(([file, content]) => ({
        operation: 'create',
        path: file,
        content: Buffer.from(content).toString('base64'),
      }))
      const request = { branch: from ?? branch, message: 'Write', files: operations }
      const isNew = from !== undefined && { new_branch: branch }
      const told = await repository.ask('POST', '/contents', { ...request, ...isNew })
      if (told.status !== 201) throw new Error(`not written: ${told.text}`)
      return String(told.at('commit.sha'))
    },
    async propose(head) {
      const request = { head, base: 'main', title: `Propose ${head}`, body: 'b' }
      const told = await repository.ask('POST', '/pulls', request)
      if (told.status !== 201) throw new Error(`not proposed: ${told.text}`)
      return String(told.at('number'))
    },
    git: (args, stdin) => git(folder, args, stdin),
    async [Symbol.asyncDispose]() {
      await ask(server, 'DELETE', path)
      await rm(folder, { recursive: true, force: true })
    },
  }
  if (seed !== null) {
    await repository.write('main', seed)
    const isNoticed = (told: Told) => told.at('empty') === false
    await askUntil(isNoticed, () => repository.ask('GET', ''))
    await askUntil(
      (told) => told.status === 200,
      () => repository.ask('GET', '/branches/main'),
    )
  }
  return repository
}

const variables = ['PORTICO_PEER_GITEA_URL', 'PORTICO_PEER_GITEA_TOKEN', 'PORTICO_PEER_GITEA_ORG']

/** The server that the environment names. Says so when there is none. */
export function realGitea(): GiteaServer | undefined {
  const [url, token, organisation] = variables.map((name) => Bun.env[name])
  if (url !== undefined && token !== undefined && organisation !== undefined) {
    return { url: url.replace(/\/+$/, ''), token, organisation }
  }
  console.warn(`SKIPPED: tests against a real Gitea; ${variables.join(', ')} name one`)
  return undefined
}

export type FakeServer = GiteaServer & { readonly gitea: Gitea } & AsyncDisposable

export async function openFakeServer(flavour?: Flavour): Promise<FakeServer> {
  const gitea = await startGitea(flavour)
  return {
    gitea,
    url: gitea.url,
    token: TOKEN,
    organisation: 'acme',
    [Symbol.asyncDispose]: () => gitea[Symbol.asyncDispose](),
  }
}
