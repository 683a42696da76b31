import type { Principal } from '../lib/domain/access/principal.ts'

export interface Person {
  /** User name for the sign-in and for git over HTTP. */
  readonly id: string
  readonly name: string
  readonly email: string
  readonly groups: readonly string[]
  /** Shown on the sign-in page. */
  readonly role: string
}

export const PLATFORM_GROUP = 'platform-team'

/** Anybody who reaches the demo may act as any of them: it listens on the loopback interface alone. */
export const people = {
  dev: {
    id: 'dev',
    name: 'Dana Okafor',
    email: 'dana.okafor@acme.example',
    groups: ['payments'],
    role: 'Developer in the payments team',
  },
  manager: {
    id: 'manager',
    name: 'Marek Novak',
    email: 'marek.novak@acme.example',
    groups: ['payments', 'payments:Managers'],
    role: 'Manager of the payments team',
  },
  platform: {
    id: 'platform',
    name: 'Priya Raman',
    email: 'priya.raman@acme.example',
    groups: [PLATFORM_GROUP],
    role: 'Platform engineer',
  },
  outsider: {
    id: 'outsider',
    name: 'Oskar Lindqvist',
    email: 'oskar.lindqvist@acme.example',
    groups: ['shipping'],
    role: 'Developer in the shipping team',
  },
} as const satisfies Record<string, Person>

/** For git over HTTP. */
const PASSWORD = 'demo'

export const findPerson = (id: string): Person | undefined =>
  Object.values(people).find((person) => person.id === id)

/** All people have the same password. */
export function personOfPassword(id: string, password: string): Principal | undefined {
  const person = findPerson(id)
  return person !== undefined && password === PASSWORD ? principalOf(person) : undefined
}

/** Issuer of the demo's tokens. */
export const ISSUER = 'urn:portico:demo'

export const principalOf = ({ id, name, email, groups }: Person): Principal => ({
  issuer: ISSUER,
  subject: id,
  name,
  email,
  groups: { kind: 'known', names: groups },
})
