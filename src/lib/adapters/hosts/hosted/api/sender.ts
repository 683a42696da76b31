import { retryAfterSeconds } from '../../../../outbound/retry-after.ts'
import { orAbort } from '../../../../concurrency/or-abort.ts'
import { createFair } from '../../../../concurrency/fair.ts'
import { pauseBefore } from '../../../../concurrency/pauses.ts'
import { createOutages } from '../../../../logging/outages.ts'
import { isTimeout, withinDeadline } from '../../../../outbound/deadline.ts'
import type { RawAnswer } from '../../../../outbound/exchange.ts'
import type { GitAnswer } from '../../../../ports/git-host.ts'
import { err, type Result } from '../../../../result.ts'
import type { GitHostContext } from '../../context.ts'
import type { Answer } from './client.ts'
import type { Credentials } from './credentials.ts'
import type { Exchange, ExchangeFault, HostRequest } from './exchange.ts'
import { CREDENTIALS_REFUSED, failureOfStatus, isUnavailable } from './outage.ts'
import { createRateGate } from './rate-gate.ts'
import { rateLimitLeft, type RateLimitRefusal, refusalByLimit } from './rate-limit.ts'
import type { WritePace } from './write-pace.ts'

const SYSTEM = 'the git host'
const HOST = { queue: 'git_host', isElsewhere: true }
const READS_AT_ONCE = 16
const WRITES_AT_ONCE = 4
/** Further attempts of a read. A write has none: it may have had its effect. */
const REPETITIONS_MAX = 2

export interface SenderOptions extends Pick<GitHostContext, 'clock' | 'log' | 'onRateLimit'> {
  readonly credentials: Credentials
  readonly exchange: Exchange
  /** URL of the API without a slash at its end. */
  readonly root: string
  /** Recognises a refusal because of a rate limit; by default one of a REST API. */
  readonly readRefusal?: typeof refusalByLimit
  /** Holds writes back; by default nothing does. */
  readonly pace?: WritePace
}

export interface Sending {
  readonly kind: 'read' | 'write'
  /** For all attempts together, and the waits for a turn and for a rate limit. */
  readonly deadlineMs: number
  /** Without credentials. */
  readonly request: Omit<HostRequest, 'signal'>
  /** Takes an answer below 500 that is neither a refusal of credentials nor one by a rate limit. */
  readonly take: (answer: RawAnswer) => Result<Answer, ExchangeFault>
}

interface Fault extends ExchangeFault {
  /** The pause that the host asks for. */
  readonly pauseMs?: number
}

/** Sends requests within the limits of the host and of this process. */
export function createSender({
  credentials,
  root,
  clock,
  log,
  onRateLimit,
  readRefusal = refusalByLimit,
  pace,
  exchange,
}: SenderOptions) {
  const inTurn = {
    read: createFair({ ...HOST, permits: READS_AT_ONCE }).inTurn,
    write: createFair({ ...HOST, permits: WRITES_AT_ONCE }).inTurn,
  }
  const gate = createRateGate(clock)
  const outages = createOutages({ clock, log })

  /** Sends with the credentials, and once more with newer ones: a refusal (401) had no effect. */
  async function exchangeWith(
    { request }: Sending,
    signal: AbortSignal,
  ): Promise<Result<RawAnswer, Fault>> {
    for (let isRenewed = false; ; isRenewed = true) {
      const authorization = await credentials.current(signal)
      if (!authorization.ok) return err({ failure: authorization.error, isPassing: false })
      const headers = { ...request.headers, authorization: authorization.value }
      const answer = await exchange({ ...request, headers, signal })
      if (!answer.ok) return answer
      const isFinal =
        answer.value.status !== 401 || isRenewed || !credentials.refused(authorization.value)
      if (isFinal) return answer
    }
  }

  /** The request for a token may be refused too. */
  function refusalOf(answer: Result<RawAnswer, Fault>): RateLimitRefusal | null {
    if (answer.ok) return readRefusal(answer.value, clock.now())
    const { failure } = answer.error
    return failure.kind === 'git_rate_limited'
      ? { statedMs: failure.retryAfterSeconds * 1_000 }
      : null
  }

  async function attempt(
    sending: Sending,
    signal: AbortSignal,
    endsAt: number,
  ): Promise<Result<Answer, Fault>> {
    const sent = await gate.pass({ signal, endsAt }, async (before) => {
      const answer = await exchangeWith(sending, signal)
      const left = answer.ok ? rateLimitLeft(answer.value) : null
      if (left !== null) onRateLimit(left)
      const refusal = refusalOf(answer)
      if (refusal !== null) {
        const failure = gate.refuse(before, refusal)
        log.warn({ failure }, 'the git host limits our requests')
        // A short limit is waited out by `pass`, a long one fails there.
        return err({ failure, isPassing: true, pauseMs: 0 })
      }
      if (!answer.ok) return answer
      gate.accept(before)
      const fault = faultOfStatus(root, answer.value)
      return fault === null ? sending.take(answer.value) : err(fault)
    })
    return sent.ok ? sent.value : err({ failure: sent.error, isPassing: false })
  }

  async function repeat(sending: Sending, signal: AbortSignal): Promise<Result<Answer, Fault>> {
    const endsAt = performance.now() + sending.deadlineMs
    if (sending.kind === 'write' && pace !== undefined) {
      const turn = await pace(signal, sending.deadlineMs)
      if (!turn.ok) return err({ failure: turn.error, isPassing: false })
    }
    for (let repetitions = 0; ; repetitions += 1) {
      const outcome = await inTurn[sending.kind](() => attempt(sending, signal, endsAt), signal)
      if (outcome.ok || sending.kind === 'write' || !outcome.error.isPassing) return outcome
      const pauseMs = outcome.error.pauseMs ?? pauseBefore(repetitions)
      const isInTime = performance.now() + pauseMs < endsAt
      if (repetitions === REPETITIONS_MAX || !isInTime) return outcome
      await orAbort(Bun.sleep(pauseMs), signal)
    }
  }

  return async function send(sending: Sending): GitAnswer<Answer> {
    const outcome = await withinDeadline(sending.deadlineMs, (signal) =>
      repeat(sending, signal).catch(failureAtDeadline),
    )
    if (outcome.ok) {
      outages.worked(SYSTEM)
      return outcome
    }
    const { failure } = outcome.error
    if (failure.kind === 'git_host_unreachable' && failure.reason !== undefined) {
      outages.failed(SYSTEM, failure.reason, failure, 'the git host cannot be reached')
    }
    return err(failure)
  }
}

function faultOfStatus(root: string, { status, headers }: RawAnswer): Fault | null {
  if (status === 401) return { failure: CREDENTIALS_REFUSED, isPassing: false }
  if (status < 500) return null
  if (!isUnavailable(status)) return { failure: failureOfStatus(root, status), isPassing: false }
  const seconds = retryAfterSeconds(headers) ?? 0
  return {
    failure: failureOfStatus(root, status),
    isPassing: true,
    ...(seconds > 0 && { pauseMs: seconds * 1_000 }),
  }
}

/** The failure of a wait that has ended with the `TimeoutError` of the deadline. */
function failureAtDeadline(error: unknown): Result<never, Fault> {
  if (!isTimeout(error)) throw error
  return err({ failure: { kind: 'git_host_timeout' }, isPassing: false })
}
