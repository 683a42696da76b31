/** The description of a field. */
export interface FieldSpec {
  /** JSON pointer of the value in the body of the request. It is the id of the control too, so that a mistake finds its field. */
  readonly path: string
  readonly label: string
  readonly control?: 'text' | 'number' | 'password' | 'date' | 'select' | 'checkbox'
  readonly help?: string | null | undefined
  readonly isRequired?: boolean
  readonly placeholder?: string | undefined
  readonly maxLength?: number | undefined
  /** Texts to choose from, for a `text`; others may be typed. */
  readonly suggestions?: readonly string[]
  /** A checkbox that cannot be ticked; the help says why. */
  readonly isDisabled?: boolean
  /** Shown until something is typed. */
  readonly initial?: string
  /** Choices of a `select`; the label says the value where there is none. */
  readonly options?: readonly Option[]
}

export type Option =
  string | { readonly value: string; readonly label: string; readonly isDisabled?: boolean }

/** A mistake in a request, as the API tells it. */
interface FieldError {
  /** JSON pointer into the body (RFC 6901). */
  readonly path: string
  readonly message: string
}

export interface PlacedErrors {
  /** Messages by the path of their field. */
  readonly at: ReadonlyMap<string, readonly string[]>
  /** Mistakes that no field of the form shows. */
  readonly elsewhere: readonly FieldError[]
}

/** Each mistake at its field, or at the field that its place is within: `/secrets/0/key` is told at `/secrets`. */
export function placeErrors(
  errors: readonly FieldError[],
  fieldPaths: readonly string[],
): PlacedErrors {
  const known = new Set(fieldPaths)
  const at = new Map<string, readonly string[]>()
  const elsewhere: FieldError[] = []
  for (const error of errors) {
    const path = fieldOf(error.path, known)
    if (path === undefined) elsewhere.push(error)
    else at.set(path, [...(at.get(path) ?? []), error.message])
  }
  return { at, elsewhere }
}

function fieldOf(path: string, known: ReadonlySet<string>): string | undefined {
  for (let part = path; part.startsWith('/'); part = part.slice(0, part.lastIndexOf('/'))) {
    if (known.has(part)) return part
  }
  return undefined
}
