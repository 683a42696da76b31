import { isObject } from '#src/lib/text/json.ts'

/** The answer of a claim that found nothing to do: how often that happens depends on the time. */
const isEmpty = (answer: unknown): boolean => isObject(answer) && answer['value'] === null

/**
 * Kills this process at a point between two effects: after a call of one of the named methods. Dying right before the next call
 * leaves the same behind.
 */
export function createDeath(dieAt: number) {
  let points = 0

  const point = (): void => {
    points += 1
    if (points === dieAt) process.kill(process.pid, 'SIGKILL')
  }

  const mortal = <Port extends object>(port: Port, effects: readonly (keyof Port)[]): Port => {
    const copy = { ...port }
    for (const name of effects) {
      const call = port[name]
      if (typeof call !== 'function') throw new Error(`${String(name)} is no method`)
      copy[name] = (async (...args: unknown[]) => {
        const answer: unknown = await call.apply(port, args)
        if (!isEmpty(answer)) point()
        return answer
      }) as Port[typeof name]
    }
    return copy
  }

  return { mortal, passed: () => points }
}
