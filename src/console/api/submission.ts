import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { Answer } from './call.ts'
import type { Problem, Result } from './result.ts'

interface SubmissionRequest<Body, Answered, Value extends Answered, Sent> {
  /** Body of the preview; null when there is nothing to see. */
  readonly preview: Body | null
  readonly body: Body
  /** Another one makes the preview old, though the request is the same. */
  readonly version?: string | undefined
  readonly ask: (body: Body, signal: AbortSignal) => Promise<Result<Answer<Answered>>>
  readonly isPreview: (answer: Answered) => answer is Value
  readonly send: (body: Body) => Promise<Result<Sent>>
}

export interface Submission<Body, Value, Sent> {
  readonly preview: Preview<Body, Value>
  readonly isBusy: boolean
  /** The refusal of this body, or else of its preview. */
  readonly problem: Problem | undefined
  /** Why this body was refused when it was sent. */
  readonly refusal: Problem | undefined
  /** Answers with what was done; nothing when it was refused, or is on its way. */
  readonly submit: () => Promise<Sent | undefined>
}

/** A request with its preview. */
export function useSubmission<Body, Answered, Value extends Answered, Sent>({
  body,
  send,
  ...asked
}: SubmissionRequest<Body, Answered, Value, Sent>): Submission<Body, Value, Sent> {
  const preview = usePreview(asked.preview, asked.ask, asked.isPreview, asked.version)
  const isBusy = useSignal(false)
  const refused = useSignal<{ readonly text: string; readonly problem: Problem } | undefined>(
    undefined,
  )
  const text = JSON.stringify(body)
  const isSame = refused.value?.text === text
  const refusal = isSame ? refused.value?.problem : undefined
  // A refusal is about what was sent. After a change it stays until the preview of the present body answers.
  const told = isSame || preview.isPending ? refused.value?.problem : undefined
  return {
    preview,
    isBusy: isBusy.value,
    problem: told ?? preview.problem,
    refusal,
    async submit() {
      if (isBusy.peek()) return undefined
      isBusy.value = true
      const answer = await send(body)
      isBusy.value = false
      refused.value = answer.ok ? undefined : { text, problem: answer.problem }
      return answer.ok ? answer.value : undefined
    },
  }
}

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
function usePreview<Request, Answered, Value extends Answered>(
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
