import { RunId, type SecretPath } from '../../../names.ts'
import type { SecretOrigin } from '../../../ports/secret-store.ts'

type CustomMetadata = Readonly<Record<string, string | null>>

/** Custom metadata of an entry, as a merge patch: labels of other people stay, and `null` removes a former one of ours. */
export function labelsOf(path: SecretPath, { run }: SecretOrigin): CustomMetadata {
  const [team = '', app = '', environment = ''] = path.split('/')
  return { 'managed-by': 'portico', team, app, environment, run }
}

/** `null`: nobody has noted an origin, or not Portico. */
export function originOf(labels: CustomMetadata | null | undefined): SecretOrigin | null {
  if (labels?.['managed-by'] !== 'portico') return null
  return { run: RunId.parse(labels['run']) ?? null }
}
