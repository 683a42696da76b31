import type { RepositoryId } from '../../../names.ts'
import type { GitFailure } from '../../../ports/git-host.ts'
import { ok, type Result } from '../../../result.ts'
import { deliverBody } from './deliver-body.ts'
import {
  fetchSettings,
  forwardPushSettings,
  PUSH_BYTES_MAX,
  pushSettings,
} from '../../../git/git-config.ts'
import { refuse, type GitRequest } from './git-request.ts'
import { startGit } from '../../../git/git.ts'
import { readPushCommands, type PushCommands } from './push-commands.ts'
import { refusePush } from './push-commands.ts'
import type { Judgement } from './push-rule.ts'
import type { PushRule } from '../../../ports/forge.ts'
import { openBody, type RequestBody } from './request-body.ts'
import { refuseBody, type Transfer } from './transfer-answer.ts'

/** Lists of wanted and existing commits. */
const FETCH_REQUEST_BYTES_MAX = 16 * 1024 * 1024
const ADVERTISEMENT_DEADLINE_MS = 30_000
const TRANSFER_DEADLINE_MS = 10 * 60_000
/** For git's work on a push after its last byte: a small pack can ask for very much of it. */
const PUSH_WORK_DEADLINE_MS = 60_000

interface Visit extends GitRequest {
  readonly request: Request
  readonly encoding: 'gzip' | 'identity'
  readonly directory: string
  readonly env: Readonly<Record<string, string>>
  readonly rule: PushRule
}

interface Means {
  readonly watchPush: (repository: RepositoryId, directory: string) => Promise<PushWatch>
  readonly patienceMs: number
}

/** A push, from before it until its refs may have moved. */
export interface PushWatch {
  judge(commands: PushCommands, rule: PushRule): Promise<Result<Judgement, GitFailure>>
  /** Called before the answer ends, also when the client has disconnected. */
  end(): Promise<void>
}

/** A running git, and the end of its push. */
type Started = Pick<Transfer, 'git' | 'delivery'> & Partial<Pick<PushWatch, 'end'>>

/** Starts git for a request, or answers it without. */
export function beginTransfer(visit: Visit, means: Means): Promise<Started | Response> {
  if (visit.isAdvertisement) return advertise(visit)
  return visit.service === 'receive-pack' ? push(visit, means) : fetchPack(visit, means)
}

async function advertise({ service, directory, env }: Visit): Promise<Started | Response> {
  const args = [service, '--stateless-rpc', '--advertise-refs', directory]
  const git = startGit(args, 'ignore', { env, deadlineMs: ADVERTISEMENT_DEADLINE_MS })
  return git.ok ? { git: git.value, delivery: Promise.resolve(ok(undefined)) } : refuse(500)
}

async function fetchPack(
  { request, encoding, directory, env }: Visit,
  { patienceMs }: Means,
): Promise<Started | Response> {
  const limits = { bytesMax: FETCH_REQUEST_BYTES_MAX, patienceMs, deadlineMs: TRANSFER_DEADLINE_MS }
  const body = openBody(request, encoding, limits)
  const git = startTransfer('upload-pack', directory, { ...fetchSettings, ...env })
  if (!git.ok) return refuse(500)
  return { git: git.value, delivery: deliverBody(new Uint8Array(), body, git.value) }
}

async function push(
  { request, encoding, repository, directory, env, rule }: Visit,
  { watchPush, patienceMs }: Means,
): Promise<Started | Response> {
  const bounds = { bytesMax: PUSH_BYTES_MAX, patienceMs, deadlineMs: TRANSFER_DEADLINE_MS }
  const body = openBody(request, encoding, bounds)
  const commands = await readPushCommands(body)
  if (!commands.ok) {
    return commands.error === 'malformed'
      ? refuse(400, 'git refused it')
      : refuseBody(commands.error)
  }
  const watch = await watchPush(repository, directory)
  const judged = await watch.judge(commands.value, rule)
  if (!judged.ok) return refuse(500)
  const { refusals, touchesDefault } = judged.value
  if (refusals.size > 0) {
    // A client sends everything before it reads the answer.
    await skip(body)
    return refusePush(commands.value, refusals)
  }
  const limits = touchesDefault ? forwardPushSettings : pushSettings
  const git = startTransfer('receive-pack', directory, { ...limits, ...env })
  if (!git.ok) return refuse(500)
  const delivery = deliverBody(commands.value.bytes, body, git.value)
  void delivery.then(() => git.value.endWithin(PUSH_WORK_DEADLINE_MS))
  return { git: git.value, delivery, end: () => watch.end() }
}

const startTransfer = (
  service: GitRequest['service'],
  directory: string,
  env: Readonly<Record<string, string>>,
) =>
  startGit([service, '--stateless-rpc', directory], 'pipe', {
    env,
    deadlineMs: TRANSFER_DEADLINE_MS,
  })

async function skip(body: RequestBody): Promise<void> {
  let part = await body.read()
  while (part.ok && part.value !== null) part = await body.read()
}
