import { useSignal } from '@preact/signals'
import type { Answer } from './call.ts'
import { type Preview, usePreview } from './preview.ts'
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
