import type { RepositoryId } from '../../../names.ts'
import { createFair } from '../../../concurrency/fair.ts'
import { stepAside } from '../../../concurrency/on-behalf-of.ts'
import type { GitFailure } from '../../../ports/git-host.ts'
import type { Result } from '../../../result.ts'
import { cleanAuthor } from '../../../git/fast-import.ts'
import { beginTransfer, type PushWatch } from './begin-transfer.ts'
import { FLUSH, pktLine } from '../pkt-lines.ts'
import { encodingOf, parseGitRequest, protocolOf, refuse, type GitRequest } from './git-request.ts'
import type { PushRule, Visitor } from '../../../ports/forge.ts'
import { answerWith } from './transfer-answer.ts'

/** Longest time in which a client neither sends nor reads. */
const PATIENCE_MS = 20_000
/** Git processes that serve clients at once. */
const TRANSFERS_AT_ONCE = 16
const WAITING_MAX = 256
/** A git client sends one request after another: more than a few come from scripts. */
const WAITING_PER_PERSON_MAX = 16
const WAIT_MS = 20_000

export interface SmartHttp {
  readonly locate: (repository: RepositoryId) => Promise<Result<string, GitFailure>>
  readonly watchPush: (repository: RepositoryId, directory: string) => Promise<PushWatch>
  readonly patienceMs?: number
}

/** Git's smart HTTP (gitprotocol-http(5)) by one `git upload-pack` or `receive-pack` per request. */
export function createSmartHttp({ locate, watchPush, patienceMs = PATIENCE_MS }: SmartHttp) {
  const places = createFair({
    queue: 'git_transfers',
    permits: TRANSFERS_AT_ONCE,
    waitingMax: WAITING_MAX,
    waitingPerPersonMax: WAITING_PER_PERSON_MAX,
  })

  /** The refusal of who finds no place for a while. */
  async function refusalOf(person: string, client: AbortSignal): Promise<Response | undefined> {
    // A push ends when its client has sent everything.
    stepAside()
    if (places.enter(person)) return undefined
    try {
      const signal = AbortSignal.any([client, AbortSignal.timeout(WAIT_MS)])
      if (await places.wait(person, signal)) return undefined
    } catch {
      if (client.aborted) return refuse(503, 'the client has left')
    }
    return places.running() < places.permits()
      ? refuse(429, 'you have too many transfers under way, try again later', RETRY_LATER)
      : refuse(503, 'too many transfers at once, try again later', RETRY_LATER)
  }

  return async function serveGit(
    request: Request,
    who: Visitor,
    rule: PushRule,
  ): Promise<Response> {
    const parsed = parseGitRequest(request)
    if (parsed instanceof Response) return parsed
    const { repository, service } = parsed
    if (service === 'receive-pack' && who === 'anonymous') {
      return refuse(401, 'a push needs a user', { 'www-authenticate': 'Basic realm="git"' })
    }
    const encoding = encodingOf(request)
    if (encoding === undefined) return refuse(415, 'unknown content-encoding')
    const located = await locate(repository)
    if (!located.ok) {
      return located.error.kind === 'git_not_found'
        ? refuse(404, 'no such repository')
        : refuse(500)
    }
    const person = who === 'anonymous' ? '' : who.email
    const refusal = await refusalOf(person, request.signal)
    if (refusal !== undefined) return refusal

    const leave = () => places.leave(person)
    const env = { ...protocolOf(request, service), ...committerOf(who) }
    const visit = { ...parsed, request, encoding, directory: located.value, env, rule }
    let started: Awaited<ReturnType<typeof beginTransfer>> | undefined
    try {
      started = await beginTransfer(visit, { watchPush, patienceMs })
    } finally {
      if (started === undefined || started instanceof Response) leave()
    }
    if (started instanceof Response) return started

    const { git, delivery, end } = started
    request.signal.addEventListener('abort', git.stop, { once: true })
    if (request.signal.aborted) git.stop()
    const finish = async () => {
      await git.child.exited
      request.signal.removeEventListener('abort', git.stop)
      leave()
      await end?.()
    }
    const finished = finish()
    // The end of the answer awaits it; without a client its failure has no reader.
    void finished.catch(() => {})
    return answerWith({ git, delivery, finished, patienceMs, ...kindOf(parsed, env) })
  }
}

function kindOf({ service, isAdvertisement }: GitRequest, env: Readonly<Record<string, string>>) {
  if (!isAdvertisement) return { contentType: `application/x-git-${service}-result`, banner: '' }
  // Version 2 starts with its capabilities.
  const isBare = env['GIT_PROTOCOL'] === 'version=2'
  return {
    contentType: `application/x-git-${service}-advertisement`,
    banner: isBare ? '' : `${pktLine(`# service=git-${service}\n`)}${FLUSH}`,
  }
}

const RETRY_LATER = { 'retry-after': '5' }

function committerOf(who: Visitor): Record<string, string> {
  if (who === 'anonymous') return {}
  const { name, email } = cleanAuthor(who)
  return { GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email }
}
