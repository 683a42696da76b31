/** Remembers the last `limit` facts. For facts that cannot become wrong, such as what an object id stands for. */
export function createBoundedMap<Value>(limit: number) {
  const facts = new Map<string, Value>()
  return {
    get: (key: string) => facts.get(key),
    set(key: string, value: Value) {
      facts.delete(key)
      facts.set(key, value)
      if (facts.size <= limit) return
      for (const oldest of facts.keys()) {
        facts.delete(oldest)
        return
      }
    },
  }
}
