import type { SecretStoreMeans } from '../../means.ts'

/**
 * The addresses of a store. The one that answered last is tried first, until it fails; then the order of the settings counts again.
 * Tells the log of an outage once per address and cause, and of its end.
 */
export function createAddresses(
  urls: readonly URL[],
  log: Pick<SecretStoreMeans['log'], 'info' | 'warn'>,
) {
  const outages = new Map<string, string>()
  let last: string | null = null
  return {
    inOrder(): readonly URL[] {
      return urls.toSorted((a, b) => Number(b.origin === last) - Number(a.origin === last))
    },
    has: (origin: string): boolean => urls.some((url) => url.origin === origin),
    works(origin: string): void {
      last = origin
      if (outages.delete(origin)) {
        log.info({ address: origin }, 'an address of the secret store works again')
      }
    },
    fails(origin: string, outage: string): void {
      if (last === origin) last = null
      if (outages.get(origin) === outage) return
      outages.set(origin, outage)
      log.warn({ address: origin, code: outage }, 'an address of the secret store fails')
    },
  }
}

export type Addresses = ReturnType<typeof createAddresses>
