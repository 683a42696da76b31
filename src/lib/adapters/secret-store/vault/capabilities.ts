import type { SecretActor, SecretStoreFailure } from '../../../ports/secret-store.ts'
import { ok, type Result } from '../../../result.ts'
import { readCapabilities } from './answers.ts'
import type { VaultCalls } from './login/calls.ts'
import { refusal } from './refusal.ts'

/** Capabilities by path. */
export type Capabilities = ReadonlyMap<string, readonly string[]>

/** Asks the store what the actor may do at each of the paths, which tries nothing. */
export async function askCapabilities(
  calls: Pick<VaultCalls, 'call'>,
  actor: SecretActor,
  paths: readonly string[],
): Promise<Result<Capabilities, SecretStoreFailure>> {
  const path = 'sys/capabilities-self'
  const request = { method: 'POST', path, body: { paths }, repeatable: true } as const
  const answered = await calls.call(actor, request, `update on ${path}`)
  if (!answered.ok) return answered
  const capabilities = new Map(Object.entries(readCapabilities(answered.value) ?? {}))
  return paths.every((each) => capabilities.has(each)) ? ok(capabilities) : refusal(answered.value)
}
