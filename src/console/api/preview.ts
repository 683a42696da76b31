import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { Answer } from './call.ts'
import type { Problem, Result } from './result.ts'

/** Long enough for the next key, short enough to be read as an answer to this one. */
const PAUSE_MS = 350

export interface Preview<Request, Value> {
  /** The last answer; with a `problem`, and while one `isPending`, that of an earlier request. */
  readonly value: Value | undefined
  /** The request that `value` answers. */
  readonly of: Request | undefined
  /** The refusal of the present request. */
  readonly problem: Problem | undefined
  readonly isPending: boolean
  readonly retry: () => void
}

/** The exact effect of a request, asked for after each change of it. `null`: there is nothing to ask yet. */
export function usePreview<Request, Answered, Value extends Answered>(
  request: Request | null,
  ask: (request: Request, signal: AbortSignal) => Promise<Result<Answer<Answered>>>,
  isPreview: (answer: Answered) => answer is Value,
): Preview<Request, Value> {
  const nothing: Omit<Preview<Request, Value>, 'retry'> = {
    value: undefined,
    of: undefined,
    problem: undefined,
    isPending: false,
  }
  const preview = useSignal({ ...nothing, isPending: request !== null })
  const attempts = useSignal(0)
  /** A form as it opens is not typed: its preview need not wait for the next key. */
  const pauseMs = useRef(0)
  useEffect(() => {
    const pause = pauseMs.current
    pauseMs.current = PAUSE_MS
    if (request === null) {
      preview.value = nothing
      return undefined
    }
    preview.value = { ...preview.peek(), isPending: true }
    const abort = new AbortController()
    const read = async () => {
      const answer = await ask(request, abort.signal)
      if (abort.signal.aborted) return
      if (!answer.ok) {
        preview.value = { ...preview.peek(), problem: answer.problem, isPending: false }
      } else if (isPreview(answer.value.value)) {
        preview.value = { ...nothing, value: answer.value.value, of: request }
      }
    }
    const timer = setTimeout(() => void read(), pause)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [JSON.stringify(request), attempts.value])
  return {
    ...preview.value,
    retry() {
      attempts.value += 1
    },
  }
}
