import { type Answer, type AnswerOf, call } from '../../../api/call.ts'
import type { Result } from '../../../api/result.ts'
import type { components } from '../../../api/schema.gen.ts'
import { announce } from '../../../ui/announce.ts'

type Accepted = components['schemas']['AcceptedRun']
type MoveRun = AnswerOf<'get', '/api/v1/promotions/runs/{id}'>
export type MoveOutcome = NonNullable<MoveRun['outcome']>

const POLL_MS = 3_000

const isAccepted = (answer: object): answer is Accepted => 'runId' in answer

/** Waits for a move that goes on by itself: the git host asks Portico to wait. */
export async function whenMoved<Value extends object>(
  asked: Result<Answer<Value | Accepted>>,
  outcomeOf: (outcome: MoveOutcome, run: MoveRun) => Value,
): Promise<Result<Answer<Value>>> {
  if (!asked.ok) return asked
  const { value, ...answer } = asked.value
  if (!isAccepted(value)) return { ok: true, value: { ...answer, value } }
  for (;;) {
    const read = await call('get', '/api/v1/promotions/runs/{id}', { params: { id: value.runId } })
    // An outage ends by itself, and the run goes on meanwhile.
    if (!read.ok && read.problem.status > 0 && read.problem.status < 500) return read
    if (read.ok) {
      const run = read.value.value
      const { outcome, failure } = run
      if (outcome !== null && run.status === 'complete') {
        return { ok: true, value: { ...answer, value: outcomeOf(outcome, run) } }
      }
      if (failure !== null) {
        return { ok: false, problem: { status: 409, code: 'move_failed', title: failure.message } }
      }
    }
    announce('Waiting for the git host')
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

/** The pull request of a move; `null` without one. */
export const pullRequestOf = ({ prNumber, prUrl }: Pick<MoveOutcome, 'prNumber' | 'prUrl'>) =>
  prNumber === null || prUrl === null
    ? null
    : { number: prNumber, url: prUrl, title: '', state: 'open' as const }
