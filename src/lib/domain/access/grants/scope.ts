/** Scopes of grants with what each allows, in words for the consent page. None implies another. */
export const SCOPES = {
  'catalog:read':
    'Read the catalog, templates, repositories, environments, promotions and your projects',
  'clusters:read': 'Read pods, workloads, events and logs in your clusters, with your rights there',
  'clusters:restart': 'Restart workloads, with your rights in the clusters',
  'scaffold:write': 'Start projects from templates',
  'promotion:write': 'Propose promotions, releases and deprecations, and push branches',
  'promotion:confirm': 'Confirm promotions that were merged',
  'audit:read': 'Read the audit trail that you may see',
} as const

export type Scope = keyof typeof SCOPES

export const isScope = (text: string): text is Scope => Object.hasOwn(SCOPES, text)

export const allScopes: readonly Scope[] = Object.keys(SCOPES).filter(isScope)

/** Reads a space-separated list (RFC 6749 §3.3), without repetitions; `undefined` when one is unknown. */
export function parseScopes(text: string): readonly Scope[] | undefined {
  const names = [...new Set(text.split(' ').filter(Boolean))]
  const scopes = names.filter(isScope)
  return scopes.length === names.length ? scopes : undefined
}
