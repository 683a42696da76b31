/** A reference to an entity, as in `spec.owner` and `dependsOn`. */
export interface NamedRef {
  /** In lower case; null when the text does not say it. */
  readonly kind: string | null
  readonly namespace: string | null
  readonly name: string
}

const REF = /^(?:([A-Za-z][A-Za-z0-9]*):)?(?:([^:/]+)\/)?([^:/]+)$/

/** Reads `group:acme/payments`, `acme/payments`, `resource:payments-db` and `payments-http`; null for any other form. */
export function parseRef(text: string): NamedRef | null {
  const [, kind, namespace, name] = REF.exec(text) ?? []
  if (name === undefined) return null
  return { kind: kind?.toLowerCase() ?? null, namespace: namespace ?? null, name }
}

/** Kind and name in `component/shop`, as the API names entities. Templates have a kind too, and are no entities of the catalog. */
export function entityOf(text: string | null): { kind: string; name: string } | null {
  const [, kind, name] = /^([a-z][a-z0-9]*)\/([^/]+)$/.exec(text ?? '') ?? []
  return kind === undefined || name === undefined || kind === 'template' ? null : { kind, name }
}

/** The short name: `payments` for `group:acme/payments`. A text of another form is shown as it is. */
export const shortName = (text: string): string => parseRef(text)?.name ?? text

/** Two letters for a person, beside the name. */
export function initialsOf(name: string): string {
  const letters = name.split(/\s+/).flatMap((word) => /^\p{L}/u.exec(word)?.[0] ?? [])
  const [first = '?', ...more] = letters
  return `${first}${more.at(-1) ?? ''}`.toUpperCase()
}
