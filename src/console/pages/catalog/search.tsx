import { setQuery, typeQuery } from '../../router.ts'
import { Icon } from '../../ui/icon.tsx'
import type { Filter } from './filters.ts'
import { WORDS } from './words.ts'

/** As the API takes it. */
const TEXT_MAX = 200

export interface SearchProps {
  readonly filter: Filter
  /** Opens the first entity that is found. */
  readonly onEnter: () => void
}

export const Search = ({ filter, onEnter }: SearchProps) => (
  <div class="field">
    <Icon name="search" />
    <input
      type="search"
      aria-label="Search the catalog"
      aria-keyshortcuts="/"
      placeholder={WORDS.search}
      autocomplete="off"
      spellcheck={false}
      maxLength={TEXT_MAX}
      data-search
      value={filter.q ?? ''}
      onInput={(event) => typeQuery({ q: event.currentTarget.value })}
      onKeyDown={(event) => {
        if (event.key === 'Enter') onEnter()
        if (event.key !== 'Escape') return
        if (filter.q === undefined) event.currentTarget.blur()
        else setQuery({ q: undefined }, { replace: true })
      }}
    />
    <kbd aria-hidden="true">/</kbd>
  </div>
)
