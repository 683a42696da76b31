import { createTtlCache } from '../../../concurrency/ttl-cache.ts'
import type { Clock } from '../../../ports/clock.ts'
import { err, ok, type Result } from '../../../result.ts'
import { type ClientFailure, cliClient, type GrantClient, readClientMetadata } from './client.ts'

/** Like the metadata of an identity provider: read at a person's request, and seldom. */
const TTL_MS = 10 * 60_000
const RETRY_AFTER_MS = 10_000

/** Finds our command line, and the programs whose metadata documents the installation allows, each by its exact address. */
export function createGrantClients({
  codePage,
  allowed,
  readDocument,
  clock,
}: {
  readonly codePage: string
  readonly allowed: readonly string[]
  readonly readDocument: (address: string) => Promise<Result<unknown, string>>
  readonly clock: Clock
}): (id: string) => Promise<Result<GrantClient, ClientFailure>> {
  const cli = cliClient(codePage)
  const documents = createTtlCache<string, GrantClient, ClientFailure>({
    ttlMs: TTL_MS,
    maxStaleMs: 0,
    refreshAfterMs: TTL_MS,
    retryAfterMs: RETRY_AFTER_MS,
    clock,
    isOutage: () => false,
    async load(address) {
      const document = await readDocument(address)
      return document.ok
        ? readClientMetadata(address, document.value)
        : err({ kind: 'client_unusable', reason: document.error })
    },
  })
  return async (id) => {
    if (id === cli.id) return ok(cli)
    if (!allowed.includes(id)) return err({ kind: 'client_unknown' })
    const read = await documents.read(id)
    return read.ok ? ok(read.value.value) : read
  }
}
