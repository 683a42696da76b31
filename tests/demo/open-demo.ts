import { openFolder } from '#tests/support/open-folder.ts'
import { gitEnvironment } from '#tests/support/git-environment.ts'
import { startPortico } from '#tests/support/portico-process.ts'
import { runProgram } from '#tests/support/run-program.ts'

export const startDemo = (directory: string, variables: Readonly<Record<string, string>> = {}) =>
  startPortico(['demo'], { PORT: '0', DATA_DIR: directory, ...variables })

export interface Visitor {
  readonly cookie: string
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Response>
  post(path: string, init?: RequestInit): Promise<Response>
}

export type Demo = Awaited<ReturnType<typeof openDemo>>

/** A demo on a data directory of its own, which is named relative to where it was started, as the default is. */
export async function openDemo() {
  const folder = await openFolder()
  const portico = await startPortico(['demo'], { PORT: '0', DATA_DIR: '.' }, folder.path)
  return {
    url: portico.url,
    host: portico.url.slice('http://'.length),
    directory: folder.path,
    signIn: (user: string) => signIn(portico.url, user),
    anonymous: visitor(portico.url, ''),
    async [Symbol.asyncDispose]() {
      await portico[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}

export async function signIn(url: string, user: string, cookie = ''): Promise<Visitor> {
  const response = await fetch(`${url}/dev/sign-in`, {
    method: 'POST',
    body: new URLSearchParams({ user }),
    headers: { cookie },
    redirect: 'manual',
  })
  if (response.status !== 303) throw new Error(`sign-in answered ${response.status}`)
  const [pair = ''] = (response.headers.get('set-cookie') ?? '').split(';')
  return visitor(url, pair)
}

export const visitor = (url: string, cookie: string): Visitor => ({
  cookie,
  get: (path, headers = {}) =>
    fetch(`${url}${path}`, { headers: { cookie, ...headers }, redirect: 'manual' }),
  post: (path, init = {}) =>
    fetch(`${url}${path}`, {
      method: 'POST',
      redirect: 'manual',
      ...init,
      headers: { cookie, ...(init.headers as Record<string, string> | undefined) },
    }),
})

export interface Entity {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly description?: string }
  readonly spec: { readonly lifecycle?: string; readonly owner?: string }
}

export const catalogOf = async (who: Visitor, query = ''): Promise<readonly Entity[]> =>
  (await (await who.get(`/api/v1/catalog/entities${query}`)).json()) as Entity[]

/** Git as a person has it, without this machine's configuration and without questions. */
export const git = (folder: string, ...args: readonly string[]) =>
  runProgram(['git', '-c', 'user.name=T', '-c', 'user.email=t@t.example', ...args], {
    cwd: folder,
    env: gitEnvironment(folder),
  })
