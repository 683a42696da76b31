import type { IncomingMessage, ServerResponse } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { gitEnvironment } from '#tests/support/git-environment.ts'
import type { Answer } from './answer.ts'
import type { Fault } from './faults.ts'
import type { BareRepository } from './git/bare-repository.ts'
import { deliver } from './send.ts'

/**
 * Paths of git's smart HTTP (gitprotocol-http(5)), with or without the suffix. An owner may be a path. After an advertisement that is none,
 * git reads `HEAD` and objects by themselves, and writes by WebDAV to the folder.
 */
const PATH =
  /^\/(.+?)\/([^/]+?)(?:\.git)?\/(info\/refs|HEAD|objects\/.+|git-upload-pack|git-receive-pack|(?<=\.git\/))$/
/** Whole commits can be fetched by their ids, and filtered, as from every public host. */
const ANY_OBJECT = ['uploadpack.allowAnySHA1InWant=true', 'uploadpack.allowFilter=true']
/** Git's curl repeats a request by itself when a connection that it used before is reset: no fault would be seen. */
const CLOSE = { connection: 'close' }

export type GitService = 'git-upload-pack' | 'git-receive-pack'
/** Names of git's requests, for arrivals and faults. */
export type GitCallName = 'git-advertise' | GitService

/** A request of git that arrived. */
export interface GitArrival {
  readonly name: GitCallName
  readonly method: string
  /** With its query. */
  readonly path: string
  /** `null`: an advertisement for dumb HTTP, which names none. */
  readonly service: GitService | null
  readonly authorization: string | undefined
}

export interface GitRequest extends GitArrival {
  readonly owner: string
  readonly repository: string
  /** What follows the repository in the path, with the query. */
  readonly rest: string
}

/** What a host lets a request do. */
export interface GitAccess {
  readonly git: BareRepository
  /** Configuration of this process, such as `receive.unpackLimit=1000`. */
  readonly config?: readonly string[]
  /** Environment of the hooks. */
  readonly environment?: Readonly<Record<string, string>>
  /** Runs after each push, taken or declined. */
  readonly afterPush?: () => Promise<void>
}

export interface GitServing {
  readonly arrivals: GitArrival[]
  readonly faults: { next(name: GitCallName, isWrite: boolean): Fault | undefined }
  /** Round trip of a call. */
  readonly delay: () => Promise<void>
  /** The host's access control. An answer is a refusal or a redirect. */
  readonly admit: (request: GitRequest) => Promise<GitAccess | Answer> | GitAccess | Answer
}

export const isGitPath = (pathname: string): boolean => PATH.test(pathname)

/** Git shows plain text to people, line by line after `remote: `. */
export const plain = (
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): Answer => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8', ...headers },
  body: Buffer.from(text),
})

/** Serves a request to a path of git, or fails it as planned. */
export async function serveGit(
  { arrivals, faults, delay, admit }: GitServing,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const asked = parse(request)
  const body = await readBody(request)
  const { name, method, path, service, authorization } = asked
  arrivals.push({ name, method, path, service, authorization })
  const fault = faults.next(name, name === 'git-receive-pack')
  await delay()
  if (fault?.kind === 'wait') await fault.until
  const isBefore = (fault?.kind === 'reset' || fault?.kind === 'answer') && fault.after !== true
  const answer = isBefore ? { status: 500 } : await answerTo(asked, request, body, admit)
  deliver(request, response, { ...answer, headers: { ...answer.headers, ...CLOSE } }, fault)
}

function parse(request: IncomingMessage): GitRequest {
  const path = request.url ?? '/'
  const url = new URL(path, 'http://git')
  const [, owner = '', repository = '', action = ''] = PATH.exec(url.pathname) ?? []
  const isAdvertise = action === 'info/refs'
  const named = isAdvertise ? url.searchParams.get('service') : action
  const service = named === 'git-upload-pack' || named === 'git-receive-pack' ? named : null
  return {
    name: isAdvertise || service === null ? 'git-advertise' : service,
    method: request.method ?? 'GET',
    path,
    service,
    authorization: request.headers.authorization,
    owner,
    repository,
    rest: `/${action}${url.search}`,
  }
}

async function answerTo(
  asked: GitRequest,
  request: IncomingMessage,
  body: Buffer,
  admit: GitServing['admit'],
): Promise<Answer> {
  const access = await admit(asked)
  if ('status' in access) return access
  const { name, service } = asked
  if (service === null) return plain(403, '')
  const protocol = request.headers['git-protocol']?.toString()
  const run = (...args: readonly string[]) =>
    runGit(access, [service.slice(4), ...args], body, protocol)
  if (name === 'git-advertise') {
    const line = `# service=${service}\n`
    const banner = `${(line.length + 4).toString(16).padStart(4, '0')}${line}0000`
    const output = await run('--stateless-rpc', '--advertise-refs')
    return packets(service, 'advertisement', Buffer.concat([Buffer.from(banner), output]))
  }
  if (name === 'git-upload-pack') return packets(service, 'result', await run('--stateless-rpc'))
  const output = await access.git.inTurn(() => run('--stateless-rpc'))
  await access.afterPush?.()
  return packets(service, 'result', output)
}

const packets = (service: GitService, kind: 'advertisement' | 'result', body: Buffer): Answer => ({
  status: 200,
  headers: { 'content-type': `application/x-${service}-${kind}`, 'cache-control': 'no-cache' },
  body,
})

/** One process of git per request. */
async function runGit(
  { git: { directory }, config = [], environment = {} }: GitAccess,
  args: readonly string[],
  body: Buffer,
  protocol: string | undefined,
): Promise<Buffer> {
  const settings = [...ANY_OBJECT, ...config].flatMap((setting) => ['-c', setting])
  const child = Bun.spawn(['git', ...settings, ...args, directory], {
    stdin: new Blob([Uint8Array.from(body)]),
    stdout: 'pipe',
    stderr: 'ignore',
    env: {
      ...gitEnvironment(directory),
      ...(protocol !== undefined && { GIT_PROTOCOL: protocol }),
      ...environment,
    },
  })
  const [output] = await Promise.all([new Response(child.stdout).arrayBuffer(), child.exited])
  return Buffer.from(output)
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  const body = Buffer.concat(parts)
  return request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body
}
