import { RunId } from '../../../names.ts'
import { parseJson } from '../../../text/json.ts'
import { recheck, RECHECK_EVERY_MS } from '../../access/sessions/recheck.ts'
import type { Sessions } from '../../access/sessions/sessions.ts'
import type { Fair } from '../../../concurrency/fair.ts'
import { keyOf } from '../../limits/person-key.ts'
import type { Runs } from '../../runs/runs.ts'
import { type Admit, admittedOnce } from './admission.ts'
import type { OpenTopic, TopicEvents, ParseTopic } from '../topic.ts'

export interface RunTopicOptions {
  readonly runs: Pick<Runs, 'find' | 'follow'>
  readonly sessions: Pick<Sessions, 'reread'>
  readonly runStreams: Pick<Fair, 'take'>
  readonly admit: Admit
  readonly onBug: (bug: unknown) => void
  readonly recheckEveryMs?: number
}

/** Topics `run:{id}`: the past and future events of a run. Their position is the number of the event. */
export const runTopic =
  (options: RunTopicOptions): ParseTopic =>
  (rest) => {
    const id = RunId.parse(rest)
    return id && openRun({ ...options, admit: admittedOnce(options.admit) }, id)
  }

const POSITION = /^\d{1,9}$/
const NOT_FOUND = { kind: 'refused', failure: { kind: 'run_not_found' } } as const
const TOO_MANY = { kind: 'refused', failure: { kind: 'too_many_streams' } } as const
const INTERRUPTED = { kind: 'interrupted' } as const
const OVER = { kind: 'over' } as const

const openRun = (options: RunTopicOptions, id: RunId): OpenTopic =>
  async function* (caller, after, signal): TopicEvents {
    const { runs, sessions, runStreams, admit, onBug } = options
    const { session } = caller
    const admitted = await admit(caller)
    if (!admitted.ok) return { kind: 'refused', failure: admitted.error }
    const run = await runs.find(session.principal, id)
    if (!run.ok) return run.error.kind === 'run_not_found' ? NOT_FOUND : INTERRUPTED
    const release = runStreams.take(keyOf(session.principal))
    if (release === undefined) return TOO_MANY

    const revoked = new AbortController()
    const stopChecking = recheck({
      everyMs: options.recheckEveryMs ?? RECHECK_EVERY_MS,
      async isHeld() {
        const current = await sessions.reread(session)
        if (current.kind !== 'active') return true
        const found = await runs.find(current.session.principal, id)
        return found.ok || found.error.kind !== 'run_not_found'
      },
      onLost: () => revoked.abort(),
      onBug,
    })
    try {
      const until = AbortSignal.any([signal, revoked.signal])
      const first = POSITION.test(after ?? '') ? Number(after) : 0
      for await (const followed of runs.follow(id, first, until)) {
        const { event, data } = followed
        yield { type: event, value: parseJson(data), position: String(followed.id) }
      }
    } finally {
      stopChecking()
      release()
    }
    return revoked.signal.aborted ? NOT_FOUND : OVER
  }
