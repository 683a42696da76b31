import { announce } from './announce.ts'
import { Icon } from './icon.tsx'

export interface CopyProps {
  /** A text that is long to make is made when it is copied. */
  readonly text: string | (() => string)
  /** Names the text to people: `the commit 1a2b3c4d`. */
  readonly name: string
}

/** Copies a name, a commit or a command. */
export const Copy = ({ text, name }: CopyProps) => (
  <button
    type="button"
    class="copy"
    aria-label={`Copy ${name}`}
    title={`Copy ${name}`}
    onClick={() => void copy(typeof text === 'string' ? text : text(), name)}
  >
    <Icon name="copy" />
  </button>
)

/** Announces whether the browser allowed it. */
export async function copy(text: string, name: string) {
  try {
    await navigator.clipboard.writeText(text)
    announce(`Copied ${name}`)
  } catch {
    announce(`The browser did not allow to copy ${name}`)
  }
}
