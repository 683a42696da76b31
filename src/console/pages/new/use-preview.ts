import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type BodyOf, call } from '../../api/call.ts'
import type { Problem } from '../../api/result.ts'
import type { components } from '../../api/schema.gen.ts'

/** Keys that follow one another faster are one request. */
const SETTLE_MS = 350

type ProjectRequest = BodyOf<'post', '/api/v1/scaffold'>

export interface Preview {
  /** Of the last request that was valid. */
  readonly value: components['schemas']['ScaffoldPreview'] | undefined
  /** That request. */
  readonly of: ProjectRequest | undefined
  /** Of the present request. */
  readonly problem: Problem | undefined
  readonly isPending: boolean
  readonly retry: () => void
}

const NOTHING: Omit<Preview, 'retry'> = {
  value: undefined,
  of: undefined,
  problem: undefined,
  isPending: false,
}

/** What a request would make, without any effect. `null`: there is nothing to ask yet. */
export function usePreview(request: ProjectRequest | null): Preview {
  const preview = useSignal(NOTHING)
  const attempts = useSignal(0)
  const text = request === null ? '' : JSON.stringify(request)
  useEffect(() => {
    if (request === null) {
      preview.value = NOTHING
      return undefined
    }
    preview.value = { ...preview.peek(), isPending: true }
    const abort = new AbortController()
    const ask = async () => {
      const query = { dryRun: true }
      const { signal } = abort
      const answer = await call('post', '/api/v1/scaffold', { query, body: request, signal })
      if (signal.aborted) return
      const settled = { ...preview.peek(), problem: undefined, isPending: false }
      if (!answer.ok) preview.value = { ...settled, problem: answer.problem }
      else if ('files' in answer.value.value) {
        preview.value = { ...settled, value: answer.value.value, of: request }
      }
    }
    const timer = setTimeout(() => void ask(), SETTLE_MS)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [text, attempts.value])
  return {
    ...preview.value,
    retry() {
      attempts.value += 1
    },
  }
}
