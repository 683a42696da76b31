import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import type { Answer } from '../../../api/call.ts'
import { refresh } from '../../../api/resource.ts'
import type { Problem, Result } from '../../../api/result.ts'

export interface Act<Value> {
  readonly isBusy: boolean
  /** Refusal of the last attempt. */
  readonly problem: Problem | undefined
  readonly done: Value | undefined
  /** Takes the refusal away. */
  readonly forget: () => void
  readonly ask: () => Promise<Result<Answer<Value>> | undefined>
}

/** Lists of what an act may change. Their topics tell it too, where the event stream is connected. */
const CHANGED = ['/api/v1/catalog/entities', '/api/v1/environments', '/api/v1/promotions']

/** One request at a time: a second click while the first is on its way does nothing. */
export function useAct<Value>(send: () => Promise<Result<Answer<Value>>>): Act<Value> {
  const isBusy = useSignal(false)
  const problem = useSignal<Problem | undefined>(undefined)
  const done = useSignal<Value | undefined>(undefined)
  const isAsking = useRef(false)
  async function ask() {
    if (isAsking.current) return undefined
    isAsking.current = true
    isBusy.value = true
    const answer = await send()
    isAsking.current = false
    isBusy.value = false
    problem.value = answer.ok ? undefined : answer.problem
    if (answer.ok) {
      done.value = answer.value.value
      for (const prefix of CHANGED) refresh(prefix)
    }
    return answer
  }
  return {
    isBusy: isBusy.value,
    problem: problem.value,
    done: done.value,
    forget() {
      problem.value = undefined
    },
    ask,
  }
}
