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
  version?: string,
): Preview<Request, Value> {
  const attempts = useSignal(0)
  const key = JSON.stringify([request, version, attempts.value])
  const nothing: Pick<Preview<Request, Value>, 'value' | 'of' | 'problem'> & { key: string } = {
    value: undefined,
    of: undefined,
    problem: undefined,
    key,
  }
  const answered = useSignal({ ...nothing, key: '' })
  /** A form as it opens is not typed: its preview need not wait for the next key. */
  const pauseMs = useRef(0)
  useEffect(() => {
    const pause = pauseMs.current
    pauseMs.current = PAUSE_MS
    if (request === null) {
      answered.value = nothing
      return undefined
    }
    const abort = new AbortController()
    const read = async () => {
      const answer = await ask(request, abort.signal)
      if (abort.signal.aborted) return
      if (!answer.ok) answered.value = { ...answered.peek(), problem: answer.problem, key }
      else if (isPreview(answer.value.value)) {
        answered.value = { ...nothing, value: answer.value.value, of: request }
      }
    }
    const timer = setTimeout(() => void read(), pause)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [key])
  return {
    ...answered.value,
    isPending: request !== null && answered.value.key !== key,
    retry() {
      attempts.value += 1
    },
  }
}
