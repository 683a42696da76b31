type Annotations = Readonly<Record<string, unknown>> | null | undefined

export interface Deprecation {
  readonly reason: string | null
  /** A reference to the entity that takes over, such as `component:invoice-service`. */
  readonly replacedBy: string | null
  readonly sunsetAt: string | null
  readonly by: string | null
  readonly at: string | null
}

const PREFIX = 'portico/deprecated-'

/** Why an entity is deprecated, as its annotations have it; null when it is not. */
export function deprecationOf(lifecycle: unknown, annotations: Annotations): Deprecation | null {
  const text = (name: string): string | null => {
    const value = annotations?.[`${PREFIX}${name}`]
    return typeof value === 'string' && value !== '' ? value : null
  }
  if (lifecycle !== 'deprecated') return null
  return {
    reason: text('reason'),
    replacedBy: text('replaced-by'),
    sunsetAt: text('sunset-at'),
    by: text('by'),
    at: text('at'),
  }
}

/** Annotations of others, as text: the portal's own say nothing that the page does not. */
export const otherAnnotations = (
  annotations: Annotations,
): readonly (readonly [string, string])[] =>
  Object.entries(annotations ?? {})
    .filter(([name]) => !name.startsWith('portico/'))
    .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)])
