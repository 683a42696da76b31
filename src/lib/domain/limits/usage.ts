import type { Result } from '../../result.ts'
import { subscriberOf } from '../../text/ip-address.ts'
import type { Audit, RequestFacts } from '../audit/audit.ts'
import { keyOf, type Person, personOf } from './person-key.ts'
import type { RateLimited, RateLimits } from './rate-limits.ts'

/** Requests that cost others something, whether or not they are granted. */
export type Act = 'write' | 'dry_run' | 'validation' | 'stream' | 'read'

export type Usage = ReturnType<typeof createUsage>

/**
 * Requests of signed-in persons, counted by person and by client address. An address may do as much as `personsPerAddress` persons. Beyond a
 * limit there is one audit row a minute for each person and address, with the number of refusals. Reads change nothing, not even a counter:
 * each process counts its own.
 */
export function createUsage(
  limits: Pick<RateLimits, 'limit'>,
  audit: Pick<Audit, 'record'>,
  perMinute: Readonly<Record<Act, number>>,
  personsPerAddress: number,
) {
  const limitOf = (act: Act, per: 'person' | 'address') =>
    limits.limit({
      name: `${act}_per_${per}`,
      perMinute: perMinute[act] * (per === 'person' ? 1 : personsPerAddress),
      subjectsMax: SUBJECTS_MAX,
      isLocal: act === 'read',
      async onExceeded({ subject, refused, until }) {
        const person = per === 'person' && subject !== null ? personOf(subject) : null
        // The name is not known in the replica that reports the counter.
        await audit.record(person && { ...person, name: person.subject }, {
          action: `limit.${act}`,
          target: person === null ? per : `person/${person.subject}`,
          result: 'denied',
          code: 'rate_limited',
          requestId: null,
          address: per === 'address' ? subject : null,
          details: { refused, until: new Date(until).toISOString() },
        })
      },
    })
  const both = (act: Act) => ({ person: limitOf(act, 'person'), address: limitOf(act, 'address') })
  const acts = {
    write: both('write'),
    dry_run: both('dry_run'),
    validation: both('validation'),
    stream: both('stream'),
    read: both('read'),
  } as const satisfies Record<Act, unknown>

  return {
    /** Counts a request, and refuses it beyond one of its limits. A request that is refused to the person does not count for the address. */
    async take(
      act: Act,
      person: Person,
      { address }: Pick<RequestFacts, 'address'>,
    ): Promise<Result<void, RateLimited>> {
      const taken = await acts[act].person.take(keyOf(person))
      if (!taken.ok || address === null) return taken
      return acts[act].address.take(subscriberOf(address))
    },
  }
}

/** These limits refuse good requests, so that nobody may share a counter: more than the people and addresses of one minute. */
const SUBJECTS_MAX = 20_000
