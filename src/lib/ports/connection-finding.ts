/** Outcome of one check of `config check`. `text` is a sentence for operators, without secrets. */
export interface ConnectionFinding {
  readonly ok: boolean
  readonly text: string
}

export const works = (text: string): ConnectionFinding => ({ ok: true, text })
export const fails = (text: string): ConnectionFinding => ({ ok: false, text })
