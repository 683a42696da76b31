import {
  createVaultClient,
  type VaultClientOptions,
  type VaultRequest,
} from '#src/lib/adapters/secret-store/vault/client.ts'

export const TOKEN = 's.canary-token'

export const READ: VaultRequest = {
  method: 'GET',
  path: 'secret/subkeys/payments/shop/dev/env',
  token: TOKEN,
  repeatable: true,
}

export const WRITE: VaultRequest = {
  method: 'POST',
  path: 'secret/data/payments/shop/dev/env',
  body: { options: { cas: 0 }, data: { PASSWORD: 'canary-value' } },
  token: TOKEN,
  repeatable: false,
}

/** A client of this address, and the lines of its log. */
export function openClient(
  address: string,
  options: Omit<Partial<VaultClientOptions>, 'address' | 'log' | 'clock'> = {},
) {
  const logged: string[] = []
  const note = (fields: unknown, text: unknown) =>
    void logged.push(`${String(text)} ${JSON.stringify(fields)}`)
  const client = createVaultClient({
    address: new URL(address),
    namespace: null,
    authority: null,
    log: { info: note, warn: note, error: note } as VaultClientOptions['log'],
    clock: { now: () => 0 },
    ...options,
  })
  return { client, logged }
}
