import { err, ok, type Result } from '../../../result.ts'
import { credentialOf } from '../../../settings/credential.ts'
import type { SettingMistake } from '../../../settings/setting.ts'
import type { ReadFile } from '../../../settings/watched-files.ts'
import type { PersonLogin, ServiceLogin } from './login.ts'
import { SERVICE_ACCOUNT_TOKEN, vaultSettings, type VaultValues } from './settings.ts'

type Variable = keyof VaultValues

interface MethodSettings {
  /** One setting of each group is needed. */
  readonly needs: readonly (readonly [Variable, Variable?])[]
  readonly may: readonly Variable[]
}

/** The settings of each login method. A setting of another method is a mistake: it would be without effect. */
const SETTINGS_OF = {
  token: { needs: [['VAULT_TOKEN', 'VAULT_TOKEN_FILE']], may: [] },
  approle: {
    needs: [['VAULT_ROLE_ID'], ['VAULT_SECRET_ID', 'VAULT_SECRET_ID_FILE']],
    may: ['VAULT_AUTH_MOUNT'],
  },
  kubernetes: { needs: [['VAULT_ROLE']], may: ['VAULT_JWT_FILE', 'VAULT_AUTH_MOUNT'] },
  jwt: { needs: [['VAULT_ROLE'], ['VAULT_JWT_FILE']], may: ['VAULT_AUTH_MOUNT'] },
  user: { needs: [['VAULT_USER_ROLE'], ['VAULT_SERVICE_AUTH']], may: ['VAULT_USER_MOUNT'] },
} as const satisfies Record<VaultValues['VAULT_AUTH'], MethodSettings>

const mistake = (
  variable: Variable,
  reason: string,
  example = vaultSettings[variable].example,
): SettingMistake => ({ variable, reason, example })

/** Settings of the chosen login that are missing or set twice, and settings of another one. */
export function loginMistakes(values: VaultValues): readonly SettingMistake[] {
  const { VAULT_AUTH: auth, VAULT_SERVICE_AUTH: service } = values
  const isSet = (variable: Variable | undefined) =>
    variable !== undefined && values[variable] !== null
  const chosen: readonly MethodSettings[] = [auth, auth === 'user' ? service : null]
    .filter((method) => method !== null)
    .map((method) => SETTINGS_OF[method])

  const missing = chosen
    .flatMap(({ needs }) => needs)
    .flatMap(([variable, file]) => {
      if (isSet(variable) && isSet(file)) {
        return [mistake(variable, `is set twice, also as ${file}`)]
      }
      if (isSet(variable) || isSet(file)) return []
      return [
        mistake(variable, file === undefined ? 'is missing' : `is missing, and so is ${file}`),
      ]
    })
  // Which settings belong to the service is not known without its method.
  if (auth === 'user' && service === null) return missing
  const used = new Set(chosen.flatMap(settingsOf))
  const stray = new Set(Object.values(SETTINGS_OF).flatMap(settingsOf)).difference(used)
  const method = auth === 'user' ? `user, with ${service}` : auth
  return [
    ...missing,
    ...[...stray]
      .filter(isSet)
      .map((variable) =>
        mistake(
          variable,
          `is set, but the login is ${method} (VAULT_AUTH), which does not use it`,
          `VAULT_AUTH=${methodsWith(variable).join(' or ')}, or no ${variable}`,
        ),
      ),
  ]
}

const methodsWith = (variable: Variable): readonly string[] =>
  Object.entries(SETTINGS_OF).flatMap(([method, settings]) =>
    settingsOf(settings).includes(variable) ? [method] : [],
  )

const settingsOf = ({ needs, may }: MethodSettings): readonly Variable[] =>
  [...needs.flat(), ...may].filter((variable) => variable !== undefined)

/** The login of the service, of settings without mistakes. The failure is a sentence for the operator. */
export function serviceLogin(
  values: VaultValues,
  readFile: ReadFile,
): Result<ServiceLogin, string> {
  const kind = values.VAULT_AUTH === 'user' ? values.VAULT_SERVICE_AUTH : values.VAULT_AUTH
  if (kind === null) return err('VAULT_SERVICE_AUTH is missing')
  const mount = values.VAULT_AUTH_MOUNT ?? kind
  switch (kind) {
    case 'token': {
      const { VAULT_TOKEN: token, VAULT_TOKEN_FILE: path } = values
      const given = credentialOf(token, 'VAULT_TOKEN_FILE', path, readFile)
      return given.ok ? ok({ kind: 'token', token: given.value }) : given
    }
    case 'approle': {
      const { VAULT_SECRET_ID: secretId, VAULT_SECRET_ID_FILE: path } = values
      const given = credentialOf(secretId, 'VAULT_SECRET_ID_FILE', path, readFile)
      if (!given.ok) return given
      return ok({ kind, mount, roleId: values.VAULT_ROLE_ID ?? '', secretId: given.value })
    }
    case 'kubernetes':
    case 'jwt': {
      const path = values.VAULT_JWT_FILE ?? SERVICE_ACCOUNT_TOKEN
      const given = credentialOf(null, 'VAULT_JWT_FILE', path, readFile)
      return given.ok ? ok({ kind, mount, role: values.VAULT_ROLE ?? '', jwt: given.value }) : given
    }
  }
}

/** The login of persons; `null`: the service makes the calls for persons. */
export const personLogin = (values: VaultValues): PersonLogin | null =>
  values.VAULT_AUTH === 'user'
    ? { mount: values.VAULT_USER_MOUNT ?? 'jwt', role: values.VAULT_USER_ROLE ?? '' }
    : null
