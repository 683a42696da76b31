import { createTtlCache } from '../../../concurrency/ttl-cache.ts'
import type { Clock } from '../../../ports/clock.ts'
import { err, ok, type Result } from '../../../result.ts'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { lazily } from '../../../concurrency/lazily.ts'
import type { Grant } from './grant.ts'

/** A program that may ask people for grants. Public: it has no secret. */
export interface GrantClient {
  readonly id: string
  readonly name: string
  readonly kind: Grant['kind']
  readonly redirectUris: readonly string[]
}

/** Our command line; `codePage` shows the code where it cannot listen. */
const cliClient = (codePage: string): GrantClient => ({
  id: 'portico',
  name: 'Portico command line',
  kind: 'cli',
  redirectUris: ['http://127.0.0.1/callback', 'http://[::1]/callback', codePage],
})

/** Browsers take `localhost` for the loopback address (RFC 6761 §6.3), and agents register it; our command line does without a name. */
const LOOPBACK: readonly string[] = ['127.0.0.1', '[::1]', 'localhost']

/** Whether a redirect URI is one of the registered ones, character by character. Only the port of a loopback address is free (RFC 8252 §7.3). */
export function isRedirectUri(given: string, registered: readonly string[]): boolean {
  if (registered.includes(given)) return true
  const url = URL.parse(given)
  // A spelling that the parser changes could be read as another address by the browser.
  if (url === null || url.href !== given || !LOOPBACK.includes(url.hostname)) return false
  url.port = ''
  return url.protocol === 'http:' && registered.includes(url.href)
}

export type ClientFailure =
  /** Not on the list of this installation. */
  | { readonly kind: 'client_unknown' }
  /** Its metadata document cannot be had, or is not one. `reason` is for the log. */
  | { readonly kind: 'client_unusable'; readonly reason: string }

const Metadata = lazily(() =>
  Compile(
    Type.Object({
      client_id: Type.String(),
      client_name: Type.String({ minLength: 1, maxLength: 100, pattern: '^[^\\p{C}]+$' }),
      redirect_uris: Type.Array(Type.String({ maxLength: 500 }), { minItems: 1, maxItems: 20 }),
      token_endpoint_auth_method: Type.Optional(Type.Literal('none')),
    }),
  ),
)

/**
 * Reads a client metadata document, which must name its own address (draft-ietf-oauth-client-id-metadata-document). Programs list schemes
 * of their own beside others: redirect URIs that are neither loopback addresses nor on its host are left out.
 */
export function readClientMetadata(
  address: string,
  document: unknown,
): Result<GrantClient, ClientFailure> {
  const unusable = (reason: string) => err({ kind: 'client_unusable', reason } as const)
  if (!Metadata().Check(document)) return unusable('not a metadata document of a public client')
  const { client_id: id, client_name: name, redirect_uris: given } = document
  if (id !== address) return unusable('the document is of another client')
  const host = URL.parse(address)?.host
  const redirectUris = given.filter((uri) => {
    const url = URL.parse(uri)
    if (url === null || uri.includes('#') || url.username !== '' || url.password !== '')
      return false
    const isLoopback = url.protocol === 'http:' && LOOPBACK.includes(url.hostname)
    return isLoopback || (url.protocol === 'https:' && url.host === host)
  })
  if (redirectUris.length === 0) return unusable('no redirect URI on its host or the loopback')
  return ok({ id, name, kind: 'agent', redirectUris })
}

/** Like the metadata of an identity provider: read at a person's request, and seldom. */
const TTL_MS = 10 * 60_000
const RETRY_AFTER_MS = 10_000

/** Finds our command line, and the programs whose metadata documents the installation allows, each by its exact address. */
export function createGrantClients(
  codePage: string,
  allowed: readonly string[],
  readDocument: (address: string) => Promise<Result<unknown, string>>,
  clock: Clock,
): (id: string) => Promise<Result<GrantClient, ClientFailure>> {
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
