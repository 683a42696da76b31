import type { IncomingMessage } from 'node:http'
import { gunzipSync } from 'node:zlib'
import type { Answer } from '#tests/peers/forge/answer.ts'
import { gitEnvironment } from '#tests/support/git-environment.ts'
import { afterPush } from './move-branch.ts'
import { fullName, type Repository, type State, type Token } from './state.ts'

/** Paths of git's smart HTTP (gitprotocol-http(5)), with or without the suffix. */
const PATH = /^\/([^/]+)\/([^/]+?)(\.git)?\/(info\/refs|git-upload-pack|git-receive-pack)$/
/** Gitea's configuration of git: whole commits can be fetched by their ids. */
const ANY_OBJECT = ['-c', 'uploadpack.allowAnySHA1InWant=true', '-c', 'uploadpack.allowFilter=true']
/** A large push stays a pack. */
const PACKED = ['-c', 'receive.unpackLimit=1000']
const ARCHIVED =
  'This repo is archived. You can view files and clone it, but cannot push or open issues/pull-requests.'

interface GitCall {
  readonly request: IncomingMessage
  readonly body: Buffer
  readonly url: URL
  /** `null`: no or refused credentials. */
  readonly token: Token | null
}

export const isGitPath = ({ pathname }: URL): boolean => PATH.test(pathname)

/** One process of git per request, as Gitea does it. */
export async function answerGit(state: State, call: GitCall): Promise<Answer> {
  const [, owner = '', name = '', , action = ''] = PATH.exec(call.url.pathname) ?? []
  const service = action === 'info/refs' ? (call.url.searchParams.get('service') ?? '') : action
  const writes = service === 'git-receive-pack'
  const { token } = call
  if (token === null) {
    const isAnonymous = call.request.headers['authorization'] === undefined
    const text = isAnonymous ? 'Unauthorized\n' : 'Failed to authenticate user\n'
    return isAnonymous
      ? { ...plain(401, text), headers: { ...TEXT, 'www-authenticate': 'Basic realm="Gitea"' } }
      : plain(401, text)
  }
  const moved = state.redirects.get(`${owner}/${name}`.toLowerCase())
  if (moved !== undefined) {
    const location = `/${fullName(moved)}/${action}${call.url.search}`
    return { status: 301, headers: { location } }
  }
  const repository = state.repository(owner, name)
  if (repository === undefined) {
    const whose = state.account(owner)?.kind === 'organization' ? 'organizations' : 'users'
    return writes
      ? plain(403, `Push to create is not enabled for ${whose}.`)
      : plain(404, 'Repository not found\n')
  }
  if (repository.isPrivate && token.rights === 'none') return plain(404, 'Not found.\n')
  if (writes && repository.isArchived) return plain(403, ARCHIVED)
  if (service !== 'git-receive-pack' && service !== 'git-upload-pack') return plain(403, '')
  if (action === 'info/refs') return await advertise(repository, service)
  const gzipped = call.request.headers['content-encoding'] === 'gzip'
  const input = gzipped ? gunzipSync(call.body) : call.body
  const output = await run(repository, [service.slice(4), '--stateless-rpc'], input, token)
  if (writes) await afterPush(state, repository)
  return {
    status: 200,
    headers: { 'content-type': `application/x-${service}-result` },
    body: output,
  }
}

async function advertise(repository: Repository, service: string): Promise<Answer> {
  const args = [service.slice(4), '--stateless-rpc', '--advertise-refs']
  const line = `# service=${service}\n`
  const banner = `${(line.length + 4).toString(16).padStart(4, '0')}${line}0000`
  const output = await run(repository, args, Buffer.alloc(0), null)
  return {
    status: 200,
    headers: { 'content-type': `application/x-${service}-advertisement` },
    body: Buffer.concat([Buffer.from(banner), output]),
  }
}

async function run(
  repository: Repository,
  args: readonly string[],
  input: Buffer,
  token: Token | null,
): Promise<Buffer> {
  const { directory } = repository.git
  const mayWrite = token?.rights === 'admin' || token?.rights === 'write'
  const child = Bun.spawn(['git', ...ANY_OBJECT, ...PACKED, ...args, directory], {
    stdin: new Blob([Uint8Array.from(input)]),
    stdout: 'pipe',
    stderr: 'ignore',
    env: {
      ...gitEnvironment(directory),
      GITEA_PROTECTED: [...repository.protections].join(' '),
      GITEA_DENIED: mayWrite ? '' : 'User permission denied for writing.',
    },
  })
  const [output] = await Promise.all([new Response(child.stdout).arrayBuffer(), child.exited])
  return Buffer.from(output)
}

const TEXT = { 'content-type': 'text/plain; charset=utf-8' }
const plain = (status: number, text: string): Answer => ({
  status,
  headers: TEXT,
  body: Buffer.from(text),
})
