import type { Principal } from '../access/principal.ts'

export type Person = Pick<Principal, 'issuer' | 'subject'>

/** Key of a person in counters. An issuer is a URL, without a space. */
export const keyOf = ({ issuer, subject }: Person): string => `${issuer} ${subject}`

export function personOf(key: string): Person {
  const space = key.indexOf(' ')
  return { issuer: key.slice(0, space), subject: key.slice(space + 1) }
}
