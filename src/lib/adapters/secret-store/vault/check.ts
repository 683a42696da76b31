import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { EnvironmentName } from '../../../names.ts'
import { certificateFault, isRefusedCertificate } from '../../../outbound/connection-codes.ts'
import type { OutboundFault } from '../../../outbound/exchange.ts'
import { type ConnectionFinding, fails, works } from '../../../ports/connection-finding.ts'
import { SERVICE } from '../../../ports/secret-store.ts'
import { Nullable } from '../../../schema/nullable.ts'
import type { VaultCalls } from './calls.ts'
import type { VaultClient } from './client.ts'
import { askCapabilities, createMountProof, type EntriesPlace } from './entries.ts'
import { failureText } from './failure-text.ts'
import { logIn, type PersonLogin, personRequest } from './login.ts'

export interface VaultToCheck extends EntriesPlace {
  readonly client: VaultClient
  readonly calls: Pick<VaultCalls, 'call'>
  readonly address: URL
  readonly namespace: string | null
  /** In the order of promotion. */
  readonly environments: readonly EnvironmentName[]
  /** The login of persons; `null`: the service does everything with its own rights. */
  readonly persons: PersonLogin | null
}

/** Looks at everything that can be looked at with the login of the service, and writes nothing. */
export async function checkVault(vault: VaultToCheck): Promise<readonly ConnectionFinding[]> {
  const findings: ConnectionFinding[] = []
  // After a failure each further question would be answered with the same refusal.
  for (const check of [checkHealth, checkLogin, checkMount, checkRights, checkPersons]) {
    findings.push(...(await check(vault)))
    if (check !== checkRights && findings.some(({ ok }) => !ok)) break
  }
  return findings
}

const Health = Compile(
  Type.Object({
    initialized: Type.Boolean(),
    sealed: Type.Boolean(),
    version: Type.Optional(Type.String()),
    enterprise: Type.Optional(Type.Boolean()),
  }),
)
/** Fit for a message to operators, and no token. */
const VERSION = /^\d+\.[\w.+-]{1,64}$/

async function checkHealth({ client, address, namespace }: VaultToCheck) {
  const answer = await client.health()
  if (!answer.ok) return [fails(faultText(address.origin, answer.error))]
  if (!Health.Check(answer.value)) return [fails(`${address.origin} is no Vault: see VAULT_ADDR.`)]
  const { initialized, sealed, version = '', enterprise } = answer.value
  const at = VERSION.test(version) ? `${address.origin} (${version})` : address.origin
  if (!initialized)
    return [fails(`${at} is not initialised: \`bao operator init\` makes its keys.`)]
  if (sealed) return [fails(`${at} is sealed: unseal it. Until then runs wait.`)]
  return namespace !== null && enterprise === false
    ? [
        fails(
          `${at} is Vault’s Community Edition, which takes no notice of VAULT_NAMESPACE: entries would be outside of it.`,
        ),
      ]
    : [works(`${at} answers.`)]
}

function faultText(at: string, fault: OutboundFault): string {
  switch (fault.kind) {
    case 'timeout':
      return `${at} does not answer in time.`
    case 'unreachable': {
      const code = fault.code ?? 'aborted'
      return isRefusedCertificate(code)
        ? `The certificate of ${at} ${certificateFault(code, 'VAULT_CA_FILE must name the one that signed it')}.`
        : `${at} cannot be reached: ${code}.`
    }
    case 'broken':
    case 'too_large':
      return `${at} is no Vault: see VAULT_ADDR.`
  }
}

const LookedUp = Compile(
  Type.Object({
    data: Type.Object({
      /** Path of the request that made the token, such as `auth/approle/login`. A name, never free text. */
      path: Type.String({ pattern: '^[-\\w.@:/]{1,128}$' }),
      policies: Type.Array(Type.String()),
      /** Seconds. */
      ttl: Type.Integer({ minimum: 0 }),
      /** `null`: without end. */
      expire_time: Nullable(Type.String()),
    }),
  }),
)

async function checkLogin({ calls }: VaultToCheck): Promise<readonly ConnectionFinding[]> {
  const path = 'auth/token/lookup-self'
  const request = { method: 'GET', path, repeatable: true } as const
  const answer = await calls.call(SERVICE, request, `read on ${path}`)
  if (!answer.ok) return [fails(`No login: ${failureText(answer.error)}.`)]
  const { status, json } = answer.value
  if (status === 404) return [fails('There is no such namespace: see VAULT_NAMESPACE.')]
  if (!LookedUp.Check(json)) return [fails('The answer about the login is not that of Vault.')]
  const { path: by, policies, ttl, expire_time: end } = json.data
  return [
    works(
      `Logged in by ${by}; the token ${end === null ? 'has no end' : `ends in ${Math.ceil(ttl / 60)} min`}.`,
    ),
    ...(policies.includes('root')
      ? [works('Warning: the login is root. Give Portico a login with `deploy/vault/portico.hcl`.')]
      : []),
  ]
}

async function checkMount({ calls, mount }: VaultToCheck): Promise<readonly ConnectionFinding[]> {
  const proven = await createMountProof(mount)(calls, SERVICE)
  return proven.ok
    ? [works(`The mount ${mount} is a key/value store of version 2.`)]
    : [fails(`The mount ${mount}: ${failureText(proven.error)}.`)]
}

/** In the place of a team and an application: the rights of the service do not depend on them. */
const SAMPLE = 'portico-check'

/**
 * Asks what the login may do, on paths that nobody uses, and names missing rights with the line of `deploy/vault/portico.hcl`. With
 * logins of persons the service makes the empty entries of new projects alone, in the first environment (`portico-runs.hcl`).
 */
async function checkRights({
  calls,
  mount,
  prefix,
  environments,
  persons,
}: VaultToCheck): Promise<readonly ConnectionFinding[]> {
  const used = persons === null ? environments : environments.slice(0, 1)
  const on = (part: string, ...needed: readonly string[]) =>
    used.map((environment) => ({
      rule: `${mount}/${part}/${prefix}+/+/${environment}/env`,
      path: `${mount}/${part}/${prefix}${SAMPLE}/${SAMPLE}/${environment}/env`,
      needed,
    }))
  const revoke = 'auth/token/revoke-self'
  const rights = [
    ...on('data', ...(persons === null ? ['create', 'patch'] : ['create'])),
    ...on('subkeys', 'read'),
    ...on('metadata', 'patch'),
    { rule: revoke, path: revoke, needed: ['update'] },
  ]
  const asked = await askCapabilities(
    calls,
    SERVICE,
    rights.map(({ path }) => path),
  )
  if (!asked.ok) return [fails(`The rights are not known: ${failureText(asked.error)}.`)]
  const findings = rights.flatMap(({ rule, path, needed }) => {
    const granted = asked.value.get(path) ?? []
    // A login that is root is a finding of its own.
    if (granted.includes('root')) return []
    const missing = needed.filter((right) => !granted.includes(right)).join(' and ')
    return [
      ...(missing === '' ? [] : [fails(`Missing: ${missing} on ${rule}. ${LINES}`)]),
      ...(path.startsWith(`${mount}/data/`) && granted.includes('read')
        ? [works(`Warning: the login may read values on ${rule}, which Portico never does.`)]
        : []),
    ]
  })
  return findings.some(({ ok }) => !ok)
    ? findings
    : [works('The login has every right that Portico needs.'), ...findings]
}

const LINES = '`deploy/vault` has the lines of the policy.'

/** Three empty parts: a role that exists refuses it as no token. */
const NO_TOKEN = '..'

/** Asks for a login that cannot succeed. */
async function checkPersons({
  client,
  persons,
}: VaultToCheck): Promise<readonly ConnectionFinding[]> {
  if (persons === null) return []
  const login = await logIn(client, personRequest(persons, NO_TOKEN), { now: () => 0 })
  const isKnown =
    !login.ok &&
    login.error.kind === 'secret_store_unauthorized' &&
    login.error.what.includes('is not signed by a key')
  return [
    isKnown || login.ok
      ? works(`The role ${persons.role} takes the ID tokens of persons.`)
      : fails(`Persons cannot log in: ${failureText(login.error)}.`),
    works('Not checked: the rights of persons, which only their sign-in has.'),
  ]
}
