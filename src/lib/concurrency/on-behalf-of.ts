import { AsyncLocalStorage } from 'node:async_hooks'

const persons = new AsyncLocalStorage<string>()

/** Does work for a person, whom queues deep below it tell from others. Rights do not depend on it. */
export const onBehalfOf = <Value>(person: string, work: () => Value): Value =>
  persons.run(person, work)

/** `null`: work that nobody asked for. */
export const currentPerson = (): string | null => persons.getStore() ?? null
