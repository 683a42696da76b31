/** OpenBao and Vault Enterprise send an opaque text in Base64. */
const INDEX = /^[A-Za-z0-9+/=_-]{1,1024}$/

/**
 * A replica that is further behind is broken. A store that was restored from a backup may never reach the state that it told before,
 * and Vault Enterprise then refuses requests that must see it.
 */
const KEPT_MS = 5 * 60_000

/** The state of the storage that an answer has seen, and that later requests must see. */
export interface StorageIndex {
  note(answer: Headers): void
  headers(): Readonly<Record<string, string>>
}

/**
 * Standby nodes answer reads from their own copy, which may lack the last write or the token of the last login. Whoever sends the
 * index of an answer back is answered by a node that has reached it, or by the active one. A write that is refused because of its
 * version tells no index: the look after a lost race may still be behind.
 */
export function createStorageIndex(now: () => number = () => performance.now()): StorageIndex {
  let latest: string | null = null
  let notedAt = 0
  return {
    note(answer) {
      const index = answer.get('x-vault-index')
      if (index === null || !INDEX.test(index)) return
      latest = index
      notedAt = now()
    },
    headers: () =>
      latest === null || now() - notedAt > KEPT_MS
        ? {}
        : { 'x-vault-index': latest, 'x-vault-inconsistent': 'forward-active-node' },
  }
}
