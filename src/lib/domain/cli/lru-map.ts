/** Forgets what was not asked for longest, when what it holds counts for more than `maxSize` together. */
export function createLruMap<Value>(maxSize: number) {
  const entries = new Map<string, { readonly value: Value; readonly size: number }>()
  let held = 0

  function remove(key: string): void {
    held -= entries.get(key)?.size ?? 0
    entries.delete(key)
  }

  return {
    get(key: string): Value | undefined {
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      entries.delete(key)
      entries.set(key, entry)
      return entry.value
    },
    set(key: string, value: Value, size = 1): void {
      remove(key)
      entries.set(key, { value, size })
      held += size
      for (const oldest of entries.keys()) {
        if (held <= maxSize) return
        remove(oldest)
      }
    },
    delete: remove,
  }
}
