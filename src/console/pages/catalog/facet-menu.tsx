import { useSignal } from '@preact/signals'
import { later, loadLater } from '../../load-later.ts'
import { setQuery } from '../../router.ts'
import { Icon } from '../../ui/icon.tsx'
import { shortName } from '../../ui/names.ts'
import { chosenOf, type Facet, type Filter } from './filters.ts'

const LABELS: Readonly<Record<Facet, string>> = {
  kind: 'Kind',
  type: 'Type',
  owner: 'Owner',
  system: 'System',
  tag: 'Tag',
}

export function FacetMenu({ facet, filter }: { readonly facet: Facet; readonly filter: Filter }) {
  const isOpen = useSignal(false)
  const code = later.value
  const id = `facet-${facet}`
  const label = LABELS[facet]
  const chosen = chosenOf(filter, facet)
  const [first = ''] = chosen
  const isOne = chosen.length === 1
  return (
    <>
      <button type="button" class={chosen.length > 0 ? 'button set' : 'button'} popovertarget={id}>
        {chosen.length === 0 && label}
        {chosen.length > 0 && `${label}: ${isOne ? shortName(first) : `${chosen.length} chosen`}`}
        <Icon name="chevron" />
      </button>
      <div
        id={id}
        popover="auto"
        role="group"
        aria-label={label}
        onToggle={(event) => {
          isOpen.value = event.newState === 'open'
          void loadLater()
        }}
      >
        {isOpen.value && code !== undefined && <code.FacetChoices facet={facet} filter={filter} />}
      </div>
    </>
  )
}

/** Only what the person's own teams own. */
export function MyTeams({ filter }: { readonly filter: Filter }) {
  const isOn = filter.mine === 'true'
  return (
    <button
      type="button"
      class="button"
      aria-pressed={isOn}
      onClick={() => setQuery({ mine: isOn ? undefined : 'true' })}
    >
      <Icon name="user" />
      Your teams
    </button>
  )
}
