import { err, ok, type Result } from '../../../result.ts'
import { absolutePath, oneOf, text } from '../../../settings/parsers.ts'
import { optionalSetting, setting, type SettingValues } from '../../../settings/setting.ts'
import { isLoopback } from '../../../text/ip-address.ts'

/** With the path below which the store is served, which may be none. */
function address(input: string): Result<URL, string> {
  if (input.includes(',')) {
    return err('must be one URL: put a load balancer before several nodes, and name its address')
  }
  // The URL standard drops line breaks and tabs, and would make one host of two lines.
  const url = /[\s\0]/.test(input) ? null : URL.parse(input)
  const isBase =
    url !== null &&
    (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) &&
    url.href === `${url.origin}${url.pathname}` &&
    !/\/v1\/*$/.test(url.pathname)
  return isBase
    ? ok(url)
    : err('must be the https URL of the store, without /v1, user name and query')
}

/** Names of mounts, namespaces and folders go into URLs and into policies. */
const PATH = /^(?:[A-Za-z0-9_][A-Za-z0-9._-]{0,127}(?:\/(?!$)|$)){1,16}$/
const path = text(PATH, 'names separated by slashes')

function namespace(input: string): Result<string, string> {
  return path(input.replace(/\/$/, ''))
}

function prefix(input: string): Result<string, string> {
  if (input === '') return ok('')
  const given = path(input.replace(/\/$/, ''))
  return given.ok ? ok(`${given.value}/`) : given
}

const role = text(/^[\x21-\x7e]{1,256}$/, 'the name of a role')
/** Batch tokens of persons with many policies take some thousand characters. */
const credential = (expected: string) => text(/^[\x21-\x7e]{1,8192}$/, expected)
const METHODS = ['token', 'approle', 'kubernetes', 'jwt'] as const

/** Kubernetes puts it into each pod, and rotates it. */
export const SERVICE_ACCOUNT_TOKEN = '/var/run/secrets/kubernetes.io/serviceaccount/token'

export const vaultSettings = {
  VAULT_ADDR: setting({
    description:
      'URL of Vault or OpenBao: of a load balancer, or of the active node. Plain http is accepted to this machine only',
    example: 'https://vault.example.org:8200',
    parse: address,
  }),
  VAULT_CA_FILE: optionalSetting({
    description:
      'PEM file of the certificate authorities of the store, in place of the public ones and for it alone. Read at the start',
    example: '/etc/portico/vault-ca.pem',
    parse: absolutePath,
  }),
  VAULT_NAMESPACE: optionalSetting({
    description: 'Namespace of the store: of its login methods and of its secrets',
    example: 'platform',
    parse: namespace,
  }),
  VAULT_MOUNT: setting({
    description: 'Mount of the secrets engine, which is KV version 2',
    example: 'kv/apps',
    fallback: 'secret',
    parse: path,
  }),
  VAULT_PREFIX: setting({
    description: 'Path above `{team}/{app}/{environment}/env` in the mount',
    example: 'portico',
    fallback: '',
    parse: prefix,
  }),
  VAULT_AUTH: setting({
    description:
      'Login: `token`, `approle`, `kubernetes` or `jwt` of the service, or `user`: persons log in by their ID token, and the policies of the store decide what they may do',
    example: 'kubernetes',
    parse: oneOf(...METHODS, 'user'),
  }),
  VAULT_SERVICE_AUTH: optionalSetting({
    description:
      'Login of the service beside `VAULT_AUTH=user`, for what goes on without a person: `token`, `approle`, `kubernetes` or `jwt`',
    example: 'kubernetes',
    parse: oneOf(...METHODS),
  }),
  VAULT_AUTH_MOUNT: optionalSetting({
    description: "Mount of the service's login method; without it the name of the method",
    example: 'kubernetes/production',
    parse: path,
  }),
  VAULT_TOKEN: optionalSetting({
    description: 'Token, for `token`. It is neither renewed nor revoked',
    example: '(as the store shows it)',
    parse: credential('a token'),
  }),
  VAULT_TOKEN_FILE: optionalSetting({
    description: 'File of the token, in place of VAULT_TOKEN. Read again at each use',
    example: '/run/secrets/vault-token',
    parse: absolutePath,
  }),
  VAULT_ROLE_ID: optionalSetting({
    description: 'Role id, for `approle`',
    example: '675a50e7-cfe0-be76-e35f-49ec009731ea',
    parse: credential('a role id'),
  }),
  VAULT_SECRET_ID: optionalSetting({
    description: 'Secret id, for `approle`',
    example: '(as the store shows it)',
    parse: credential('a secret id'),
  }),
  VAULT_SECRET_ID_FILE: optionalSetting({
    description: 'File of the secret id, in place of VAULT_SECRET_ID. Read again at each login',
    example: '/run/secrets/vault-secret-id',
    parse: absolutePath,
  }),
  VAULT_ROLE: optionalSetting({
    description: 'Role of the service, for `kubernetes` and `jwt`',
    example: 'portico',
    parse: role,
  }),
  VAULT_JWT_FILE: optionalSetting({
    description: `File of the service's JWT, for \`kubernetes\` (without it \`${SERVICE_ACCOUNT_TOKEN}\`) and \`jwt\`. Read again at each login`,
    example: '/var/run/secrets/vault/token',
    parse: absolutePath,
  }),
  VAULT_USER_ROLE: optionalSetting({
    description: 'Role of persons, for `user`',
    example: 'portico-people',
    parse: role,
  }),
  VAULT_USER_MOUNT: optionalSetting({
    description:
      'Mount of the login method of persons, for `user`, of the type jwt; without it `jwt`',
    example: 'oidc',
    parse: path,
  }),
}

export type VaultValues = SettingValues<typeof vaultSettings>
