import type { RepositoryId } from '../../../names.ts'
import type { GitFailure } from '../../../ports/git-host.ts'
import { ok, type Result } from '../../../result.ts'
import type { Visitor } from './forge.ts'
import {
  encodingOf,
  NOT_CACHED,
  parseGitRequest,
  protocolOf,
  refuse,
  type GitRequest,
  type Service,
} from './git-request.ts'
import { runGit, startGit, type RunningGit } from './git.ts'
import { cleanAuthor } from '../commit-request.ts'
import { deliverBody } from './request-body.ts'
import { PUSH_BYTES_MAX } from './git-config.ts'

/** Lists of wanted and existing commits. */
const FETCH_REQUEST_BYTES_MAX = 16 * 1024 * 1024
const TRANSFER_DEADLINE_MS = 10 * 60_000
/** Concurrent processes; each may hold a pack in memory. */
const TRANSFERS_MAX = 16

export interface SmartHttp {
  readonly locate: (repository: RepositoryId) => Promise<Result<string, GitFailure>>
  /**
   * Called before a push. The returned function is called after it and before the answer ends, also when the client has
   * disconnected: the refs may have moved.
   */
  readonly watchPush: (repository: RepositoryId, directory: string) => Promise<() => Promise<void>>
}

interface Transfer {
  readonly git: RunningGit<'pipe'>
  /** The function that `watchPush` returned. */
  readonly afterPush: () => Promise<void>
}

/** Git's smart HTTP (gitprotocol-http(5)) by one `git upload-pack` or `receive-pack` per request. */
export function createSmartHttp({ locate, watchPush }: SmartHttp) {
  let transfers = 0

  return async function serveGit(request: Request, who: Visitor): Promise<Response> {
    const parsed = parseGitRequest(request)
    if (parsed instanceof Response) return parsed
    if (parsed.service === 'receive-pack' && who === 'anonymous') {
      return refuse(401, 'a push needs a user', { 'www-authenticate': 'Basic realm="git"' })
    }
    const located = await locate(parsed.repository)
    if (!located.ok) {
      return located.error.kind === 'git_not_found'
        ? refuse(404, 'no such repository')
        : refuse(500)
    }
    const env = { ...protocolOf(request, parsed.service), ...committerOf(who) }
    if (parsed.isAdvertisement) return advertise(located.value, parsed.service, env)

    const encoding = encodingOf(request)
    if (encoding === undefined) return refuse(415, 'unknown content-encoding')
    if (transfers >= TRANSFERS_MAX)
      return refuse(503, 'too many transfers at once, try again later', { 'retry-after': '5' })
    transfers += 1
    let started: Result<Transfer, GitFailure> | undefined
    try {
      started = await start(parsed, located.value, env)
    } finally {
      if (!started?.ok) transfers -= 1
    }
    if (!started.ok) return refuse(500)
    const { git, afterPush } = started.value
    request.signal.addEventListener('abort', git.stop, { once: true })
    if (request.signal.aborted) git.stop()
    const finished = finish(git, async () => {
      request.signal.removeEventListener('abort', git.stop)
      transfers -= 1
      await afterPush()
    })
    // The end of the answer awaits it; without a client its failure has no reader.
    void finished.catch(() => {})

    const bytesMax = parsed.service === 'receive-pack' ? PUSH_BYTES_MAX : FETCH_REQUEST_BYTES_MAX
    const body = request.body ?? new Blob([]).stream()
    const delivery = deliverBody(body, encoding, git, bytesMax)
    return answer(git, parsed.service, delivery, finished)
  }

  async function start(
    { repository, service }: GitRequest,
    directory: string,
    env: Record<string, string>,
  ): Promise<Result<Transfer, GitFailure>> {
    const afterPush =
      service === 'receive-pack' ? await watchPush(repository, directory) : async () => {}
    const options = { env, deadlineMs: TRANSFER_DEADLINE_MS }
    const running = startGit([service, '--stateless-rpc', directory], 'pipe', options)
    return running.ok ? ok({ git: running.value, afterPush }) : running
  }
}

async function finish(git: RunningGit<'pipe'>, afterPush: () => Promise<void>): Promise<void> {
  await git.child.exited
  await afterPush()
}

/** Waits for git's first bytes: a failure before them is still a status. */
async function answer(
  git: RunningGit<'pipe'>,
  service: Service,
  delivery: ReturnType<typeof deliverBody>,
  finished: Promise<void>,
): Promise<Response> {
  const reader = git.child.stdout.getReader()
  const first = await reader.read()
  if (first.done) {
    const [delivered] = await Promise.all([delivery, finished])
    if (delivered === 'too_large') return refuse(413, 'the request is too large')
    if (delivered === 'broken') return refuse(400, 'the request broke off')
    if (git.child.exitCode !== 0) return refuse(git.isLate() ? 504 : 400, 'git refused it')
  }
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        if (!first.done) controller.enqueue(first.value)
      },
      async pull(controller) {
        const { done, value } = first.done ? first : await reader.read()
        if (!done) return controller.enqueue(value)
        await finished
        // A killed git has not said everything: the client must not take the answer for complete.
        if (git.child.signalCode === null) controller.close()
        else controller.error(new Error('git was stopped'))
      },
      cancel: git.stop,
    },
    { highWaterMark: 0 },
  )
  return new Response(body, {
    headers: { ...NOT_CACHED, 'content-type': `application/x-git-${service}-result` },
  })
}

async function advertise(
  directory: string,
  service: Service,
  env: Record<string, string>,
): Promise<Response> {
  const output = await runGit(
    directory,
    [service, '--stateless-rpc', '--advertise-refs', directory],
    { env },
  )
  if (!output.ok || output.value.code !== 0) return refuse(500)
  // Version 2 starts with its capabilities.
  const banner = env['GIT_PROTOCOL'] === 'version=2' ? '' : bannerOf(service)
  return new Response(new Blob([banner, Uint8Array.from(output.value.stdout)]), {
    headers: { ...NOT_CACHED, 'content-type': `application/x-git-${service}-advertisement` },
  })
}

function bannerOf(service: Service): string {
  const line = `# service=git-${service}\n`
  return `${(line.length + 4).toString(16).padStart(4, '0')}${line}0000`
}

function committerOf(who: Visitor): Record<string, string> {
  if (who === 'anonymous') return {}
  const { name, email } = cleanAuthor(who)
  return { GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email }
}
