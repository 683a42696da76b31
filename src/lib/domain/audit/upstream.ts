import type { AuditFacts } from './entry.ts'

/** Kinds of failures begin with the system. */
const SYSTEMS = ['git_', 'secret_store_', 'database_', 'identity_', 'cluster_']
/** Members of failures that ports make for operators and the log: short, and without secrets. */
const FACTS = ['kind', 'what', 'reason', 'path', 'retryAfterSeconds'] as const

/** Programs of git say whole paragraphs. */
const TEXT_MAX_CHARACTERS = 500

/** The failure of another system as a detail of a row, `upstream`; of any other failure nothing. */
export function upstreamOf(failure: { readonly kind: string }): AuditFacts['details'] {
  if (!SYSTEMS.some((system) => failure.kind.startsWith(system))) return {}
  const known: Partial<Record<string, unknown>> = { ...failure }
  const facts: Record<string, string | number> = {}
  for (const name of FACTS) {
    const value = known[name]
    if (typeof value === 'number') facts[name] = value
    if (typeof value === 'string') {
      facts[name] = value.replaceAll(/\s+/g, ' ').slice(0, TEXT_MAX_CHARACTERS)
    }
  }
  return { upstream: facts }
}
