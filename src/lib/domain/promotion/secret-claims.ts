import { createHash } from 'node:crypto'
import type { Keyring } from '../../crypto/keyring.ts'
import type { SecretPath } from '../../names.ts'
import type { Clock } from '../../ports/clock.ts'
import type { DatabaseFailure } from '../../ports/database/failure.ts'
import type { SecretWriteRow, SecretWriteStore } from '../../ports/database/secret-writes.ts'
import type { SecretVersion } from '../../ports/secret-store.ts'
import { err, ok, type Result } from '../../result.ts'

/** A process changes the row of one version three times at most, so that every lost round is another's progress. */
const ROUNDS_MAX = 30

export interface ClaimsOptions {
  readonly writes: SecretWriteStore
  readonly keyring: Keyring
  readonly clock: Clock
}

/** A write of these values to a path. Requests with the same values make the same write. */
export interface SecretWrite {
  readonly path: SecretPath
  readonly values: Readonly<Record<string, string>>
}

/** Who replaced a version of the entry, as far as the claims tell. */
export type Authorship =
  /** This write. */
  | 'ours'
  /** Nobody has confirmed it, and no other write has claimed it. */
  | 'claimed'
  /** Nobody has confirmed it, and this write is one of several that may be it. */
  | 'contested'
  | 'unknown'

/**
 * Who wrote which version of a secret entry, known without its values. Before a merge at a version a process claims it by a sealed
 * digest of the values; after the merge it confirms. A second write that claims the same version empties the claim, and so does a
 * process that lost the version: only the confirmation of the winner fills it again. A claim that is neither confirmed nor contested
 * is left by a process that died, before or after its merge.
 */
export function createClaims({ writes, keyring, clock }: ClaimsOptions) {
  const isOf = ({ path, values }: SecretWrite, row: SecretWriteRow): boolean => {
    const digest = keyring.open(contextOf(path), row)
    return digest !== undefined && Buffer.from(digest).equals(digestOf(values))
  }

  const rowOf = ({ path, values }: SecretWrite, version: SecretVersion, isWritten: boolean) => ({
    path,
    expectedVersion: version,
    ...keyring.seal(contextOf(path), digestOf(values)),
    at: clock.now(),
    isWritten,
  })

  /** Answers the row before the change; `next` answers `null` for a row that stays. */
  async function change(
    { path }: SecretWrite,
    next: (row: SecretWriteRow | null) => SecretWriteRow | null,
  ): Promise<Result<SecretWriteRow | null, DatabaseFailure>> {
    for (let round = 1; round <= ROUNDS_MAX; round++) {
      const found = await writes.find(path)
      if (!found.ok) return found
      const row = next(found.value)
      const replaced = row === null ? ok(true) : await writes.replace(found.value, row)
      if (!replaced.ok) return replaced
      if (replaced.value) return found
    }
    return err({ kind: 'database_unavailable', reason: 'secret_write is contended' })
  }

  return {
    /**
     * Before a merge at the version. Answers the row that was there, for `confirm`. `hasKeys`: the entry has some of the keys, so that
     * their presence later tells nothing, and only a confirmation will.
     */
    claim: (write: SecretWrite, version: SecretVersion, hasKeys: boolean) =>
      change(write, (row) => {
        if (row === null || row.expectedVersion < version) {
          const claim = rowOf(write, version, false)
          return hasKeys ? emptied(claim) : claim
        }
        const stays = row.expectedVersion > version || row.isWritten || isOf(write, row)
        return stays || isEmpty(row) ? null : emptied(row)
      }),

    /**
     * After a merge at the version. Claims of later versions stay, unless they are as old as ours: then the store counts anew, because
     * its entries were moved or purged.
     */
    confirm: (write: SecretWrite, version: SecretVersion, before: SecretWriteRow | null) =>
      change(write, (row) =>
        row !== null && row.expectedVersion > version && !isSame(row, before)
          ? null
          : rowOf(write, version, true),
      ),

    /** After a merge at the version that changed nothing: the claim must not pass for a write. */
    contest: (write: SecretWrite, version: SecretVersion) =>
      change(write, (row) =>
        row?.expectedVersion === version && !row.isWritten && isOf(write, row)
          ? emptied(row)
          : null,
      ),

    /** Who replaced the version. The entry must have been read before. */
    async authorship(
      write: SecretWrite,
      version: SecretVersion,
    ): Promise<Result<Authorship, DatabaseFailure>> {
      const found = await writes.find(write.path)
      if (!found.ok) return found
      const row = found.value
      if (row?.expectedVersion !== version) return ok('unknown')
      if (isOf(write, row)) return ok(row.isWritten ? 'ours' : 'claimed')
      return ok(isEmpty(row) && !row.isWritten ? 'contested' : 'unknown')
    },
  }
}

const isEmpty = ({ sealed }: SecretWriteRow): boolean => sealed.length === 0

const emptied = (row: SecretWriteRow): SecretWriteRow => ({ ...row, sealed: new Uint8Array(0) })

const isSame = (row: SecretWriteRow, before: SecretWriteRow | null): boolean =>
  before !== null &&
  row.expectedVersion === before.expectedVersion &&
  Buffer.from(row.sealed).equals(before.sealed)

const contextOf = (path: SecretPath): string => `secret-write/${path}`

const digestOf = (values: Readonly<Record<string, string>>): Uint8Array => {
  const entries = Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256').update(JSON.stringify(entries)).digest()
}
