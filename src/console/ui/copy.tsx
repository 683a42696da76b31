import { announce } from './announce.ts'
import { Icon } from './icon.tsx'

/** Copies a name, a commit or a command. `name` says what it is. */
export const Copy = ({ text, name }: { readonly text: string; readonly name: string }) => (
  <button
    type="button"
    class="copy"
    aria-label={`Copy ${name}`}
    title={`Copy ${name}`}
    onClick={() => void copy(text, name)}
  >
    <Icon name="copy" />
  </button>
)

async function copy(text: string, name: string) {
  try {
    await navigator.clipboard.writeText(text)
    announce(`Copied ${name}`)
  } catch {
    announce(`The browser did not allow to copy ${name}`)
  }
}
