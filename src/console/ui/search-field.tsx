import type { ComponentChildren, KeyboardEventHandler } from 'preact'
import { Icon } from './icon.tsx'

interface SearchFieldProps {
  readonly label: string
  readonly placeholder: string
  readonly value: string
  readonly maxLength?: number
  /** A single key that leads to it. */
  readonly shortcut?: string
  readonly onInput: (text: string) => void
  readonly onKeyDown?: KeyboardEventHandler<HTMLInputElement>
  readonly children?: ComponentChildren
}

export const SearchField = ({ label, shortcut, onInput, children, ...input }: SearchFieldProps) => (
  <div class="field">
    <Icon name="search" />
    <input
      {...input}
      type="search"
      aria-label={label}
      aria-keyshortcuts={shortcut}
      autocomplete="off"
      spellcheck={false}
      onInput={(event) => onInput(event.currentTarget.value)}
    />
    {children}
  </div>
)
