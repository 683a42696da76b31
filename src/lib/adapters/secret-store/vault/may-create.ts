import type { SecretActor, SecretStore } from '../../../ports/secret-store.ts'
import { err, ok } from '../../../result.ts'
import { askCapabilities } from './capabilities.ts'
import type { EntryRequests, Part, Right } from './entry-requests.ts'
import type { VaultCalls } from './login/calls.ts'

/** The rights to describe, create and label an entry that was never written. */
const NEEDED = [
  ['read', 'subkeys'],
  ['create', 'data'],
  ['patch', 'metadata'],
] as const satisfies readonly (readonly [Right, Part])[]

export interface MayCreateOptions extends Pick<SecretStore, 'knowsPersons'> {
  readonly calls: Pick<VaultCalls, 'call'>
  readonly requests: EntryRequests
}

export function createMayCreate({
  calls,
  requests,
  knowsPersons,
}: MayCreateOptions): SecretStore['mayCreate'] {
  const refusalOf = ({ kind }: SecretActor) =>
    knowsPersons && kind === 'person' ? 'secret_store_forbidden' : 'secret_store_denied'

  return async (path, actor) => {
    const needed = NEEDED.map(([right, part]) => ({ right, at: requests.pathOf(part, path) }))
    const paths = needed.map(({ at }) => at)
    const asked = await askCapabilities(calls, actor, paths)
    if (!asked.ok) return asked
    const missing = needed.filter(({ right, at }) => !allows(asked.value.get(at) ?? [], right))
    if (missing.length === 0) return ok(undefined)
    const what = missing.map(({ right, at }) => `${right} on ${at}`).join(', ')
    return err({ kind: refusalOf(actor), what })
  }
}

const allows = (capabilities: readonly string[], right: Right): boolean =>
  capabilities.includes(right) || capabilities.includes('root')
