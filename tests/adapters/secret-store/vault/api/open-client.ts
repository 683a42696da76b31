import type { VaultRequest } from '#src/lib/adapters/secret-store/vault/api/client.ts'
import {
  createVaultClient,
  type VaultClientOptions,
} from '#src/lib/adapters/secret-store/vault/api/create-client.ts'

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

/** A client of these addresses, and the lines of its log. */
export function openClient(
  addresses: readonly string[],
  options: Omit<Partial<VaultClientOptions>, 'addresses' | 'log' | 'clock'> = {},
) {
  const logged: string[] = []
  const note = (fields: unknown, text: unknown) =>
    void logged.push(`${String(text)} ${JSON.stringify(fields)}`)
  const clock = { nowMs: 0, now: () => clock.nowMs }
  const client = createVaultClient({
    addresses: addresses.map((address) => new URL(address)),
    namespace: null,
    authority: null,
    log: { info: note, warn: note, error: note } as VaultClientOptions['log'],
    clock,
    pauseMs: 1,
    ...options,
  })
  return { client, logged, clock }
}
