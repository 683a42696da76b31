import type { Author } from '../../ports/git-host.ts'
import type { Principal } from '../access/principal.ts'
import type { Requester } from './requesters.ts'

/** For people without an address at the identity provider. */
const NO_EMAIL = 'noreply@portico.invalid'

export const authorOf = ({ name, email }: Pick<Principal, 'name' | 'email'>): Author => ({
  name,
  email: email ?? NO_EMAIL,
})

export const requesterOf = ({ subject, name }: Pick<Principal, 'subject' | 'name'>): Requester => ({
  subject,
  name,
})
