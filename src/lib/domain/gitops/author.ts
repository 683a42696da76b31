import type { Author } from '../../ports/git-host.ts'
import type { Principal } from '../access/principal.ts'

/** Of people of whom the identity provider tells no address. */
const NO_EMAIL = 'noreply@portico.invalid'

export const authorOf = ({ name, email }: Pick<Principal, 'name' | 'email'>): Author => ({
  name,
  email: email ?? NO_EMAIL,
})
