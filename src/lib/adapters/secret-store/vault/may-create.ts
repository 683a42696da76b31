import type { SecretActor, SecretStore } from '../../../ports/secret-store.ts'
import { err, ok } from '../../../result.ts'
import { readCapabilities } from './answers.ts'
import type { EntryRequests, Part, Right } from './entry-requests.ts'
import type { VaultCalls } from './login/calls.ts'
import { refusal } from './refusal.ts'

/** The rights to describe, create and label an entry that was never written. */
const NEEDED = [
  ['read', 'subkeys'],
  ['create', 'data'],
  ['patch', 'metadata'],
] as const satisfies readonly (readonly [Right, Part])[]

/** Asks the store what the actor may do, which tries nothing. */
export function createMayCreate({
  calls,
  requests,
}: {
  readonly calls: VaultCalls
  readonly requests: EntryRequests
}): SecretStore['mayCreate'] {
  return async (path, actor) => {
    const needed = NEEDED.map(([right, part]) => ({ right, at: requests.pathOf(part, path) }))
    const answered = await calls.call(
      actor,
      {
        method: 'POST',
        path: 'sys/capabilities-self',
        body: { paths: needed.map(({ at }) => at) },
        repeatable: true,
      },
      'update on sys/capabilities-self',
    )
    if (!answered.ok) return answered
    const capabilities = readCapabilities(answered.value)
    if (needed.some(({ at }) => capabilities?.[at] === undefined)) return refusal(answered.value)
    const missing = needed.filter(({ right, at }) => !allows(capabilities?.[at] ?? [], right))
    if (missing.length === 0) return ok(undefined)
    const what = missing.map(({ right, at }) => `${right} on ${at}`).join(', ')
    return err({ kind: refusalOf(actor), what })
  }
}

const allows = (capabilities: readonly string[], right: Right): boolean =>
  capabilities.includes(right) || capabilities.includes('root')

const refusalOf = ({ kind }: SecretActor) =>
  kind === 'person' ? 'secret_store_forbidden' : 'secret_store_denied'
