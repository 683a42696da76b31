import type { SecretPath } from '../../../names.ts'
import type { SecretActor, SecretStoreFailure } from '../../../ports/secret-store.ts'
import type { Result } from '../../../result.ts'
import { type VaultAnswer, type VaultRequest, vaultPath } from './api/client.ts'
import type { VaultCalls } from './login/calls.ts'

/** Capabilities of a policy. A write to an entry that has metadata, deleted ones included, is an `update` for the store. */
export type Right = 'read' | 'create' | 'update' | 'patch'

/** The parts of an entry, as KV version 2 spreads them below its mount. */
export type Part = 'data' | 'subkeys' | 'metadata'

export interface EntryRequests {
  /** The path of a part, as policies name it. */
  pathOf(part: Part, path: SecretPath): string
  /** Uses a right on a part of an entry. */
  use(
    right: Right,
    part: Part,
    path: SecretPath,
    actor: SecretActor,
    body?: VaultRequest['body'],
  ): Promise<Result<VaultAnswer, SecretStoreFailure>>
}

export interface EntryRequestsOptions {
  readonly calls: Pick<VaultCalls, 'call'>
  readonly mount: string
  /** Empty, or with a slash at its end. */
  readonly prefix: string
}

const METHODS = { read: 'GET', create: 'POST', update: 'POST', patch: 'PATCH' } as const

/** Metadata that an operator made before the first version make the first write an update. */
const OR_UPDATE = ' (update, if it has metadata already)'

export function createEntryRequests({ calls, mount, prefix }: EntryRequestsOptions): EntryRequests {
  const pathOf: EntryRequests['pathOf'] = (part, path) => `${mount}/${part}/${prefix}${path}`

  return {
    pathOf,
    use(right, part, path, actor, body) {
      const location = pathOf(part, path)
      // The subkeys of nested maps, which others may have written, are no keys of the entry.
      const query = part === 'subkeys' ? '?depth=1' : ''
      const request = {
        method: METHODS[right],
        path: `${vaultPath`${location}`}${query}`,
        ...(body !== undefined && { body }),
        // Labels are the same after a second execution; a version is added once.
        repeatable: part !== 'data',
      }
      return calls.call(
        actor,
        request,
        `${right} on ${location}${right === 'create' ? OR_UPDATE : ''}`,
      )
    },
  }
}
