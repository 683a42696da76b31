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
