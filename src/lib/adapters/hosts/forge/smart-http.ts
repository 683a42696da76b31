import type { RepositoryId } from '../../../names.ts'
import type { GitFailure } from '../../../ports/git-host.ts'
import type { Result } from '../../../result.ts'
import { cleanAuthor } from '../../../git/fast-import.ts'
import { beginTransfer, type PushWatch } from './begin-transfer.ts'
import { FLUSH, pktLine } from '../pkt-lines.ts'
import { encodingOf, parseGitRequest, protocolOf, refuse, type GitRequest } from './git-request.ts'
import type { PushRule, Visitor } from '../../../ports/forge.ts'
import { answerWith } from './transfer-answer.ts'
import { createTransferPlaces, type NoPlace } from './transfer-places.ts'

/** Longest time in which a client neither sends nor reads. */
const PATIENCE_MS = 20_000

export interface SmartHttp {
  readonly locate: (repository: RepositoryId) => Promise<Result<string, GitFailure>>
  readonly watchPush: (repository: RepositoryId, directory: string) => Promise<PushWatch>
  readonly patienceMs?: number
}

/** Git's smart HTTP (gitprotocol-http(5)) by one `git upload-pack` or `receive-pack` per request. */
export function createSmartHttp({ locate, watchPush, patienceMs = PATIENCE_MS }: SmartHttp) {
  const enter = createTransferPlaces()

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
    const entered = await enter(who === 'anonymous' ? '' : who.email, request.signal)
    if (!entered.ok) return refuseEntry[entered.error]()

    const leave = entered.value
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

const refuseEntry = {
  person_busy: () =>
    refuse(429, 'you have too many transfers under way, try again later', RETRY_LATER),
  host_busy: () => refuse(503, 'too many transfers at once, try again later', RETRY_LATER),
  left: () => refuse(503, 'the client has left'),
} satisfies Record<NoPlace, () => Response>

function committerOf(who: Visitor): Record<string, string> {
  if (who === 'anonymous') return {}
  const { name, email } = cleanAuthor(who)
  return { GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email }
}
