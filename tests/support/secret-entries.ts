import { AppName, EnvironmentName, type SecretPath, secretPath, TeamName } from '#src/lib/names.ts'
import { type SecretStore, type SecretStoreFailure, SERVICE } from '#src/lib/ports/secret-store.ts'
import type { Result } from '#src/lib/result.ts'

export function pathOf(team: string, app: string, environment = 'dev') {
  const parsed = { team: TeamName.parse(team), app: AppName.parse(app) }
  if (parsed.team === undefined || parsed.app === undefined) throw new Error(`${team}/${app}`)
  return secretPath(parsed.team, parsed.app, EnvironmentName.of(environment))
}

export const SHOP = pathOf('payments', 'shop')

export function value<Value>(result: Result<Value, SecretStoreFailure>): Value {
  if (!result.ok) throw new Error(`expected a value, got ${JSON.stringify(result.error)}`)
  return result.value
}

/** Merges into the current entry, and retries after each lost race. */
export async function mergeAnyhow(
  store: SecretStore,
  path: SecretPath,
  values: Readonly<Record<string, string>>,
): Promise<void> {
  for (;;) {
    const { version } = value(await store.describe(path, SERVICE))
    const merged = await store.merge(path, version, values, SERVICE)
    if (merged.ok || merged.error.kind !== 'secret_conflict') return value(merged)
  }
}
