import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

/** Longer than the pause between two keys of somebody who types. */
const SETTLE_MS = 150

/**
 * The value that has stayed for a moment, by its key; the first one at once. What depends on it is not asked for at each key.
 */
export function useSettled<Value>(value: Value, key: string): Value {
  const settled = useSignal({ value, key })
  useEffect(() => {
    if (settled.peek().key === key) return undefined
    const timer = setTimeout(() => {
      settled.value = { value, key }
    }, SETTLE_MS)
    return () => clearTimeout(timer)
  }, [key])
  return settled.value.value
}
