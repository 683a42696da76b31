import { createOutages } from '../../../../logging/outages.ts'
import type { SecretStoreMeans } from '../../means.ts'

/**
 * The addresses of a store. The one that answered last is tried first, until it fails; then the order of the settings counts again.
 */
export function createAddresses(
  urls: readonly URL[],
  means: Pick<SecretStoreMeans, 'log' | 'clock'>,
) {
  const outages = createOutages(means)
  const systemAt = (origin: string): string => `the secret store at ${origin}`
  let last: string | null = null
  return {
    inOrder(): readonly URL[] {
      return urls.toSorted((a, b) => Number(b.origin === last) - Number(a.origin === last))
    },
    has: (origin: string): boolean => urls.some((url) => url.origin === origin),
    works(origin: string): void {
      last = origin
      outages.worked(systemAt(origin))
    },
    fails(origin: string, outage: string): void {
      if (last === origin) last = null
      const facts = { address: origin, code: outage }
      outages.failed(systemAt(origin), outage, facts, 'an address of the secret store fails')
    },
  }
}

export type Addresses = ReturnType<typeof createAddresses>
