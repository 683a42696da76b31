import { withinDeadline } from '../../../../outbound/deadline.ts'
import { readBody } from '../../../../outbound/read-body.ts'
import type { SecretStoreFailure } from '../../../../ports/secret-store.ts'
import { err, ok, type Result } from '../../../../result.ts'
import { parseJson } from '../../../../text/json.ts'
import { decodeUtf8 } from '../../../../text/utf8.ts'
import type { SecretStoreMeans } from '../../means.ts'
import type { VaultAnswer, VaultClient, VaultRequest } from './client.ts'

const DEADLINE_MS = 10_000
const ANSWER_MAX_BYTES = 1024 * 1024
const ANSWERS: ReadonlySet<number> = new Set([400, 403, 404, 405, 415])

export interface VaultClientOptions extends Pick<SecretStoreMeans, 'clock' | 'log'> {
  /** Base URLs of the nodes, tried in order. */
  readonly addresses: readonly URL[]
  /** `null`: the root namespace. */
  readonly namespace: string | null
  /** PEM of the certificate authorities in place of the system's. */
  readonly authority: string | null
  readonly deadlineMs?: number
}

/** The API of Vault or OpenBao over HTTP. */
export function createVaultClient({
  addresses,
  namespace,
  authority,
  deadlineMs = DEADLINE_MS,
}: VaultClientOptions): VaultClient {
  async function exchange(
    { method, path, body, token }: VaultRequest,
    signal: AbortSignal,
  ): Promise<Result<VaultAnswer, SecretStoreFailure>> {
    const response = await fetch(new URL(`/v1/${path}`, addresses[0]), {
      method,
      headers: {
        'x-vault-request': 'true',
        ...(token !== null && { 'x-vault-token': token }),
        ...(namespace !== null && { 'x-vault-namespace': namespace }),
        ...(body !== undefined && {
          'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
        }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      redirect: 'manual',
      signal,
      tls: { rejectUnauthorized: true, ...(authority !== null && { ca: authority }) },
    })
    const bytes = await readBody(response.body, ANSWER_MAX_BYTES)
    const json = bytes === null ? undefined : parseJson(decodeUtf8(bytes) ?? '')
    const { status } = response
    if (response.ok || ANSWERS.has(status)) return ok({ status, json })
    if (status === 503) return err({ kind: 'secret_store_sealed' })
    return err({ kind: 'secret_store_error', reason: `answered with ${status}` })
  }

  return {
    async send(request) {
      try {
        return await withinDeadline(deadlineMs, (signal) => exchange(request, signal))
      } catch {
        return err({ kind: 'secret_store_unreachable' })
      }
    },
    health: () => Promise.resolve([]),
  }
}
