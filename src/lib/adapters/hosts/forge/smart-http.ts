import type { ObjectId, RepositoryId } from '../../../names.ts'
import { createFair } from '../../../concurrency/fair.ts'
import { stepAside } from '../../../concurrency/on-behalf-of.ts'
import type { Forge, PushRule, Visitor } from '../../../ports/forge.ts'
import type { GitAnswer } from '../../../ports/git-host.ts'
import { ok } from '../../../result.ts'
import { cleanAuthor } from '../../../git/fast-import.ts'
import { startGit } from '../../../git/git.ts'
import {
  fetchSettings,
  forwardPushSettings,
  PUSH_BYTES_MAX,
  pushSettings,
} from '../../../git/git-config.ts'
import { type RefChange, readRefs } from '../../../git/refs.ts'
import { FLUSH, pktLine } from '../pkt-lines.ts'
import { encodingOf, parseGitRequest, protocolOf, refuse, type GitRequest } from './git-request.ts'
import { readPushCommands, refusePush } from './push-commands.ts'
import { judgePush } from './push-rule.ts'
import { deliverBody, openBody, type RequestBody } from './request-body.ts'
import { answerWith, refuseBody, type Transfer } from './transfer-answer.ts'

/** Longest time in which a client neither sends nor reads. */
const PATIENCE_MS = 20_000
/** Git processes that serve clients at once. */
const TRANSFERS_AT_ONCE = 16
const WAITING_MAX = 256
/** A git client sends one request after another: more than a few come from scripts. */
const WAITING_PER_PERSON_MAX = 16
const WAIT_MS = 20_000

/** Lists of wanted and existing commits. */
const FETCH_REQUEST_BYTES_MAX = 16 * 1024 * 1024
const ADVERTISEMENT_DEADLINE_MS = 30_000
const TRANSFER_DEADLINE_MS = 10 * 60_000
/** For git's work on a push after its last byte: a small pack can ask for very much of it. */
const PUSH_WORK_DEADLINE_MS = 60_000

/** Refs that clients may push. */
const PUSHABLE = ['refs/heads', 'refs/tags']

export interface SmartHttp {
  readonly locate: (repository: RepositoryId) => GitAnswer<string>
  /** Called before the answer to a push ends, also when the client has disconnected, with what has changed since before it. */
  readonly pushed: (
    repository: RepositoryId,
    directory: string,
    changes: readonly RefChange[],
  ) => Promise<void>
  readonly patienceMs?: number
}

/** Git's smart HTTP (gitprotocol-http(5)) by one `git upload-pack` or `receive-pack` per request. */
export function createSmartHttp({ locate, pushed, patienceMs = PATIENCE_MS }: SmartHttp) {
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

  const serveGit: Forge['serveGit'] = async (request, who, rule, ended) => {
    let moved: readonly string[] = []
    await using inTheEnd = new AsyncDisposableStack()
    inTheEnd.defer(async () => ended?.(moved))
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
    inTheEnd.defer(async () => places.leave(person))

    const env = { ...protocolOf(request, service), ...committerOf(who) }
    const visit = { ...parsed, request, encoding, directory: located.value, env, rule, patienceMs }
    const started = await begin(visit, pushed)
    if (started instanceof Response) return started

    const { git, end, ...answer } = started
    request.signal.addEventListener('abort', git.stop, { once: true })
    if (request.signal.aborted) git.stop()
    const later = inTheEnd.move()
    const finish = async () => {
      await using _ = later
      await git.child.exited
      request.signal.removeEventListener('abort', git.stop)
      moved = (await end?.()) ?? []
    }
    const finished = finish()
    // The end of the answer awaits it; without a client its failure has no reader.
    void finished.catch(() => {})
    return answerWith({ ...answer, git, finished, patienceMs })
  }
  return serveGit
}

interface Visit extends GitRequest {
  readonly request: Request
  readonly encoding: 'gzip' | 'identity'
  readonly directory: string
  readonly env: Readonly<Record<string, string>>
  readonly rule: PushRule
  readonly patienceMs: number
}

/** A running git, the kind of its answer, and the end of its push with the refs that it has moved. */
type Started = Pick<Transfer, 'git' | 'delivery' | 'contentType' | 'banner'> & {
  readonly end?: () => Promise<readonly string[]>
}

/** Starts git for a request, or answers it without. */
function begin(visit: Visit, pushed: SmartHttp['pushed']): Promise<Started | Response> {
  if (visit.isAdvertisement) return advertise(visit)
  return visit.service === 'receive-pack' ? push(visit, pushed) : fetchPack(visit)
}

async function advertise({ service, directory, env }: Visit): Promise<Started | Response> {
  const args = [service, '--stateless-rpc', '--advertise-refs', directory]
  const git = startGit(args, 'ignore', { env, deadlineMs: ADVERTISEMENT_DEADLINE_MS })
  if (!git.ok) return refuse(500)
  // Version 2 starts with its capabilities.
  const isBare = env['GIT_PROTOCOL'] === 'version=2'
  return {
    git: git.value,
    delivery: Promise.resolve(ok(undefined)),
    contentType: `application/x-git-${service}-advertisement`,
    banner: isBare ? '' : `${pktLine(`# service=git-${service}\n`)}${FLUSH}`,
  }
}

async function fetchPack(visit: Visit): Promise<Started | Response> {
  const body = openBodyOf(visit, FETCH_REQUEST_BYTES_MAX)
  return transfer(visit, fetchSettings, new Uint8Array(), body)
}

async function push(visit: Visit, pushed: SmartHttp['pushed']): Promise<Started | Response> {
  const { repository, directory, rule } = visit
  const body = openBodyOf(visit, PUSH_BYTES_MAX)
  const commands = await readPushCommands(body)
  if (!commands.ok) return refuseBody(commands.error)
  const { refs } = commands.value
  const before = await readRefs(directory, PUSHABLE)
  const judged = before.ok ? await judgePush(directory, refs, before.value, rule) : before
  if (!before.ok || !judged.ok) return refuse(500)
  const { refusals, touchesDefault } = judged.value
  if (refusals.size > 0) {
    // A client sends everything before it reads the answer.
    await skip(body)
    return refusePush(commands.value, refusals)
  }
  const settings = touchesDefault ? forwardPushSettings : pushSettings
  const started = transfer(visit, settings, commands.value.bytes, body)
  if (started instanceof Response) return started
  void started.delivery.then(() => started.git.endWithin(PUSH_WORK_DEADLINE_MS))
  const end = async () => {
    const after = await readRefs(directory, PUSHABLE)
    const changes = after.ok ? difference(before.value, after.value) : []
    await pushed(repository, directory, changes)
    const moved = new Set(changes.map(({ ref }) => ref))
    return refs.map(({ ref }) => ref).filter((ref) => moved.has(ref))
  }
  return { ...started, end }
}

function difference(
  before: ReadonlyMap<string, ObjectId>,
  after: ReadonlyMap<string, ObjectId>,
): readonly RefChange[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .map((ref) => ({ ref, before: before.get(ref) ?? null, after: after.get(ref) ?? null }))
    .filter((change) => change.before !== change.after)
}

const openBodyOf = ({ request, encoding, patienceMs }: Visit, bytesMax: number): RequestBody =>
  openBody(request, encoding, { bytesMax, patienceMs, deadlineMs: TRANSFER_DEADLINE_MS })

/** Git at work on a body, of which the beginning was read already. */
function transfer(
  { service, directory, env }: Visit,
  settings: Readonly<Record<string, string>>,
  beginning: Uint8Array,
  body: RequestBody,
): Started | Response {
  const git = startGit([service, '--stateless-rpc', directory], 'pipe', {
    env: { ...settings, ...env },
    deadlineMs: TRANSFER_DEADLINE_MS,
  })
  if (!git.ok) return refuse(500)
  const delivery = deliverBody(beginning, body, git.value)
  return {
    git: git.value,
    delivery,
    contentType: `application/x-git-${service}-result`,
    banner: '',
  }
}

async function skip(body: RequestBody): Promise<void> {
  let part = await body.read()
  while (part.ok && part.value !== null) part = await body.read()
}

const RETRY_LATER = { 'retry-after': '5' }

function committerOf(who: Visitor): Record<string, string> {
  if (who === 'anonymous') return {}
  const { name, email } = cleanAuthor(who)
  return { GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email }
}
