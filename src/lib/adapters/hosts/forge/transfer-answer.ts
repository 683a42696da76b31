import type { Result } from '../../../result.ts'
import { NOT_CACHED, refuse } from './git-request.ts'
import type { RunningGit } from '../../../git/git.ts'
import type { BodyFault } from './request-body.ts'

export interface Transfer {
  readonly git: RunningGit<'pipe'> | RunningGit<'ignore'>
  readonly contentType: string
  /** Comes before git's own bytes. */
  readonly banner: string
  /** The outcome of the request's body. */
  readonly delivery: Promise<Result<void, BodyFault>>
  /** After git and everything that follows from it. */
  readonly finished: Promise<void>
  /** Longest time in which a client reads nothing; git is stopped then. */
  readonly patienceMs: number
}

const faults = {
  too_large: { status: 413, text: 'the request is too large' },
  stalled: { status: 408, text: 'the request stopped coming' },
  broken: { status: 400, text: 'the request broke off' },
  malformed: { status: 400, text: 'git refused it' },
} satisfies Record<BodyFault, object>

export const refuseBody = (fault: BodyFault): Response =>
  refuse(faults[fault].status, faults[fault].text)

/** Streams what git says. Waits for its first bytes: a failure before them is still a status. */
export async function answerWith(transfer: Transfer): Promise<Response> {
  const { git, banner, contentType, delivery, finished } = transfer
  const reader = git.child.stdout.getReader()
  const first = await reader.read()
  if (first.done) {
    const [delivered] = await Promise.all([delivery, finished])
    if (!delivered.ok) return refuseBody(delivered.error)
    if (git.child.exitCode !== 0) return refuse(git.isLate() ? 504 : 400, 'git refused it')
  }
  const beginning = [...(banner === '' ? [] : [new TextEncoder().encode(banner)]), first.value]
  const next = () => reader.read()
  const body = bodyOf(next, beginning, transfer)
  return new Response(body, { headers: { ...NOT_CACHED, 'content-type': contentType } })
}

type Bytes = Uint8Array | undefined

function bodyOf(
  next: () => Promise<{ readonly value?: Bytes }>,
  beginning: readonly Bytes[],
  { git, finished, patienceMs }: Transfer,
): ReadableStream<Uint8Array> {
  let patience: ReturnType<typeof setTimeout> | undefined
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        for (const part of beginning) if (part !== undefined) controller.enqueue(part)
        patience = setTimeout(git.stop, patienceMs)
      },
      async pull(controller) {
        clearTimeout(patience)
        const { value } = await next()
        if (value !== undefined) {
          controller.enqueue(value)
          patience = setTimeout(git.stop, patienceMs)
          return
        }
        await finished
        // A killed git has not said everything: the client must not take the answer for complete.
        if (git.child.signalCode === null) controller.close()
        else controller.error(new Error('git was stopped'))
      },
      cancel() {
        clearTimeout(patience)
        git.stop()
      },
    },
    { highWaterMark: 0 },
  )
}
