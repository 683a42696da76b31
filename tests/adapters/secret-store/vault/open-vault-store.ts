import { createVaultStore } from '#src/lib/adapters/secret-store/vault/index.ts'
import type { PersonLogin, ServiceLogin } from '#src/lib/adapters/secret-store/vault/login.ts'
import { EnvironmentName, type SecretPath } from '#src/lib/names.ts'
import type { SecretStore } from '#src/lib/ports/secret-store.ts'
import { silentLog } from '#tests/adapters/hosts/github/silent-log.ts'
import type { SecretStoreFixture } from '#tests/contracts/secret-store.ts'
import type { OpenBao } from '#tests/peers/openbao.ts'
import { SHOP } from '#tests/support/secret-entries.ts'
import { systemClock } from '#src/lib/ports/clock.ts'

interface VaultPlace {
  readonly url: string
  readonly service: ServiceLogin
  readonly persons?: PersonLogin | null
  readonly namespace?: string
  readonly mount?: string
  readonly prefix?: string
}

const openStore = ({
  url,
  service,
  persons = null,
  namespace,
  mount = 'secret',
  prefix = '',
}: VaultPlace): SecretStore =>
  createVaultStore({
    address: new URL(url),
    namespace: namespace ?? null,
    authority: null,
    service,
    persons,
    mount,
    prefix,
    environments: [EnvironmentName.of('dev'), EnvironmentName.of('staging')],
    clock: systemClock,
    log: silentLog,
  })

export interface VaultFixture extends SecretStoreFixture {
  /** Asks for a part of the entry that most tests use, as root; a part may have a query. */
  root(method: string, part: string, body?: unknown): Promise<unknown>
  /** All that the server has of that entry. */
  everything(): Promise<unknown>
}

interface FixtureOptions extends Partial<VaultPlace> {
  readonly openbao: OpenBao
  /** Unless there is a `service`. Default: root. */
  readonly token?: string
}

let fixtures = 0

/** An empty part of the server, below a prefix of its own. */
export function openVaultFixture({
  openbao,
  url = openbao.url,
  token = openbao.rootToken,
  service = { kind: 'token', token: { kind: 'text', text: token } },
  persons = null,
  namespace,
  mount = 'secret',
  prefix = '',
}: FixtureOptions): VaultFixture {
  fixtures += 1
  const ownPrefix = `${prefix}t${fixtures}/`
  const options = namespace === undefined ? {} : { namespace }
  const ask = (method: string, part: string, path: SecretPath, body?: unknown) => {
    const [kind, query] = part.split('?')
    const search = query === undefined ? '' : `?${query}`
    return openbao.request(method, `${mount}/${kind}/${ownPrefix}${path}${search}`, body, options)
  }
  const stores: SecretStore[] = []
  const another = () => {
    const store = openStore({ url, service, persons, mount, prefix: ownPrefix, ...options })
    stores.push(store)
    return store
  }

  return {
    store: another(),
    another,
    keepsOrigins: true,
    async values(path) {
      const { status, json } = await ask('GET', 'data', path)
      if (status === 404) return undefined
      return new Map(Object.entries((json as { data: { data: Record<string, string> } }).data.data))
    },
    async remove(path) {
      await ask('DELETE', 'data', path)
    },
    async root(method, part, body) {
      const { status, json } = await ask(method, part, SHOP, body)
      if (status >= 300) throw new Error(`${method} ${part}: ${status} ${JSON.stringify(json)}`)
      return json
    },
    async everything() {
      const answers = await Promise.all([ask('GET', 'data', SHOP), ask('GET', 'metadata', SHOP)])
      return answers.map(({ status, json }) => ({
        status,
        data: (json as { data?: unknown } | null)?.data,
      }))
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(stores.map((store) => store.close()))
    },
  }
}

/** The policy file, for prefixes of this many segments; `revives` uses its line for deleted entries. */
export async function policyText(segments: number, { revives = false } = {}): Promise<string> {
  const text = await Bun.file('deploy/vault/portico.hcl').text()
  const placed = text.replaceAll('/+/+/+/env', `${'/+'.repeat(segments)}/+/+/+/env`)
  const plain = /^  capabilities = \["create", "patch"\]\n/m
  return revives ? placed.replace(plain, '').replace('# capabilities', 'capabilities') : placed
}
