/**
 * Time that passes only while every activity sleeps: the order of events depends on the lengths of the sleeps alone. Other work that
 * an activity awaits takes no time.
 */
export function createVirtualTime() {
  const sleepers: { readonly until: number; readonly wake: () => void }[] = []
  const activities = { awake: 0 }
  let now = 0

  const settled = async () => {
    while (activities.awake > 0) await new Promise((resolve) => setImmediate(resolve))
  }

  return {
    /** Runs an activity, which may do nothing but sleep and work. */
    async start<Value>(activity: () => Promise<Value>): Promise<Value> {
      activities.awake += 1
      try {
        return await activity()
      } finally {
        activities.awake -= 1
      }
    },

    sleep(milliseconds: number): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>()
      const until = now + milliseconds
      const after = sleepers.findIndex((other) => other.until > until)
      sleepers.splice(after === -1 ? sleepers.length : after, 0, { until, wake: resolve })
      activities.awake -= 1
      return promise
    },

    /** Lets time pass until no activity is left. */
    async run(): Promise<void> {
      for (;;) {
        await settled()
        const next = sleepers.shift()
        if (next === undefined) return
        now = next.until
        activities.awake += 1
        next.wake()
      }
    },
  }
}
