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
