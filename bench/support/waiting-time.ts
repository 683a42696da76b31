/** Measures the time in which at least one of the watched calls is under way. Calls at the same time count once. */
export function createWaitingTime() {
  let underWay = 0
  let since = 0
  let waitedMs = 0

  async function during<Answer>(call: () => Promise<Answer>): Promise<Answer> {
    if (underWay === 0) since = performance.now()
    underWay += 1
    try {
      return await call()
    } finally {
      underWay -= 1
      if (underWay === 0) waitedMs += performance.now() - since
    }
  }

  async function* each<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item, void, void> {
    const iterator = items[Symbol.asyncIterator]()
    for (;;) {
      const next = await during(() => iterator.next())
      if (next.done === true) return
      yield next.value
    }
  }

  return {
    during,
    /** Watches every method of a port that answers a promise or an iterable. */
    watch(port: object): void {
      for (const [name, method] of Object.entries(port)) {
        if (typeof method !== 'function') continue
        const watched = (...args: unknown[]) => {
          const answer: unknown = Reflect.apply(method, port, args)
          if (answer instanceof Promise) return during(() => answer)
          return isIterable(answer) ? each(answer) : answer
        }
        Object.assign(port, { [name]: watched })
      }
    },
    /** Milliseconds since the last call. */
    take(): number {
      const taken = waitedMs
      waitedMs = 0
      return taken
    },
  }
}

const isIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value
