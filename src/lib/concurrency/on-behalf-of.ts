import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * Whom queues tell from others: the subject of a person, or the address of a client without a session. `null`: the service itself. Limits and
 * slots count people by `keyOf`, with the issuer.
 */
export type Person = string | null

/** All who wait for the same work. */
export interface Party {
  readonly people: Set<Person>
  /** Called for each who joins later. */
  readonly watchers: Set<(person: Person) => void>
}

export const createParty = (people: Iterable<Person> = []): Party => ({
  people: new Set(people),
  watchers: new Set(),
})

interface Behalf {
  readonly person: Person
  /** People of the flight that the work belongs to. */
  readonly party?: Party
  readonly stepAside: (() => void) | undefined
}

const current = new AsyncLocalStorage<Behalf>()

/**
 * Does work for a person, or for the address of a client without a session, whom queues deep below it tell from others. Rights do not
 * depend on it. `stepAside` is called whenever the work waits for its client or for another system, which may take any time.
 */
export const onBehalfOf = <Value>(
  person: Person,
  work: () => Value,
  stepAside = current.getStore()?.stepAside,
): Value => current.run({ person, stepAside }, work)

/**
 * Does work that everybody waits for sooner or later, whoever asked first: it must not queue behind what else that person wants. Who waits for
 * it steps aside before.
 */
export const onNobodysBehalf = <Value>(work: () => Value): Value => current.exit(work)

export const currentPerson = (): Person => current.getStore()?.person ?? null

/** For work that is about to wait for its client, for another system or for what others have begun: gives its place in this process to others. */
export const stepAside = (): void => current.getStore()?.stepAside?.()

/** Those whom the current work is for. */
export const currentParty = (): Party => current.getStore()?.party ?? createParty([currentPerson()])

/** Does work for all who join its party while it is under way, not only for who began it. */
export function inParty<Value>(party: Party, work: () => Value): Value {
  const behalf = current.getStore() ?? { person: null, stepAside: undefined }
  return current.run({ ...behalf, party }, work)
}

/** Adds those whom the current work is for, and whoever joins them later. */
export function joinParty(party: Party): void {
  const { people, watchers } = currentParty()
  const add = (person: Person): void => {
    if (party.people.has(person)) return
    party.people.add(person)
    for (const watcher of party.watchers) watcher(person)
  }
  for (const person of people) add(person)
  watchers.add(add)
}
