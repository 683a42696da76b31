import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { call } from '../../../api/call.ts'
import type { Problem } from '../../../api/result.ts'
import { isPreview, type PreviewValue } from './outcome-words.ts'
import type { ProposalBody } from './request.ts'

/** Long enough for the next key, short enough to be read as an answer to this one. */
const PAUSE_MS = 350

export interface Preview {
  /** Of an earlier request, while `isPending` or with a `problem`. */
  readonly value: PreviewValue | undefined
  readonly problem: Problem | undefined
  readonly isPending: boolean
  readonly retry: () => void
}

/** The exact files of a request, asked for after each change. Nothing is asked without a body. */
export function usePreview(
  params: { readonly kind: string; readonly name: string },
  body: ProposalBody | null,
): Preview {
  const value = useSignal<PreviewValue | undefined>(undefined)
  const problem = useSignal<Problem | undefined>(undefined)
  const isPending = useSignal(body !== null)
  const attempts = useSignal(0)
  /** The form as it opens is not typed: its preview need not wait for the next key. */
  const pauseMs = useRef(0)
  const text = body === null ? null : JSON.stringify(body)
  useEffect(() => {
    const isAsked = body !== null
    isPending.value = isAsked
    if (!isAsked) {
      value.value = undefined
      problem.value = undefined
      return undefined
    }
    const abort = new AbortController()
    const ask = async () => {
      const answer = await call('post', '/api/v1/catalog/entities/{kind}/{name}/promotion', {
        params,
        query: { dryRun: true },
        body,
        signal: abort.signal,
      })
      if (abort.signal.aborted) return
      isPending.value = false
      problem.value = answer.ok ? undefined : answer.problem
      if (answer.ok && isPreview(answer.value.value)) value.value = answer.value.value
    }
    const timer = setTimeout(() => void ask(), pauseMs.current)
    pauseMs.current = PAUSE_MS
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [text, attempts.value])
  return {
    value: value.value,
    problem: problem.value,
    isPending: isPending.value,
    retry: () => {
      attempts.value += 1
    },
  }
}
