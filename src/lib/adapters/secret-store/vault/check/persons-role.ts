import { type ConnectionFinding, fails, works } from '../../../../ports/connection-finding.ts'
import { vaultPath } from '../api/client.ts'
import { errorTexts } from '../api/reason.ts'
import { failureText } from '../failure-text.ts'
import type { PersonLogin } from '../login/method.ts'
import type { VaultCheckOptions } from './check.ts'

/** Three empty parts: a role that exists refuses it as no token, a role that does not exist is named. */
const NO_TOKEN = '..'

/** Asks for a login that cannot succeed. */
export async function checkPersonsRole(
  client: VaultCheckOptions['client'],
  { mount, role }: PersonLogin,
): Promise<ConnectionFinding> {
  const answer = await client.send({
    method: 'POST',
    path: vaultPath`auth/${mount}/login`,
    body: { role, jwt: NO_TOKEN },
    token: null,
    repeatable: true,
  })
  const login = `The role ${role} of the login method ${mount}`
  if (!answer.ok) {
    const hint = answer.error.kind === 'secret_store_error' ? ' Is the method of the type jwt?' : ''
    return fails(`${login} is not known: ${failureText(answer.error)}.${hint}`)
  }
  const { status } = answer.value
  if (status === 403 || status === 404) {
    return fails(`There is no login method at ${mount}: see VAULT_USER_MOUNT.`)
  }
  const text = errorTexts(answer.value).join()
  if (text.includes('could not be found')) {
    return fails(`${login} does not exist: see VAULT_USER_ROLE.`)
  }
  if (text.includes('could not load configuration')) {
    return fails(`The login method ${mount} is not configured: it knows no provider.`)
  }
  if (text.includes('oidc role_type')) {
    return fails(`${login} is for browsers: make it again with role_type=jwt.`)
  }
  return works(`${login} exists; it takes the ID tokens of persons.`)
}
