import { useSignal } from '@preact/signals'
import { useResource } from '../../api/resource.ts'
import { setQuery } from '../../router.ts'
import { AnswerState } from '../../ui/parts.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { choicesOf, toggled } from './facet-values.ts'
import { countingFilter, type Facet, type Filter } from './filters.ts'

/** A list that is longer has a field to look for a value. */
const SHORT = 8
/** Nobody reads a thousand owners; the field finds the others. */
const SHOWN_MAX = 100

export interface FacetChoicesProps {
  readonly facet: Facet
  readonly filter: Filter
}

/** The values of a facet with the number of entities that each would show. */
export function FacetChoices({ facet, filter }: FacetChoicesProps) {
  const text = useSignal('')
  const answer = useResource('/api/v1/catalog/facets', {
    query: countingFilter(filter, facet),
    topic: 'catalog',
  })
  const { value } = answer
  if (value === undefined) return <AnswerState answer={answer} />
  const choices = choicesOf(facet, value[facet], filter)
  const wanted = text.value.trim().toLowerCase()
  const found = choices.filter(({ label }) => label.toLowerCase().includes(wanted))
  return (
    <>
      {choices.length > SHORT && (
        <SearchField
          label={`Find a value of ${facet}`}
          placeholder="Find…"
          value={text.value}
          onInput={(typed) => (text.value = typed)}
        />
      )}
      {found.slice(0, SHOWN_MAX).map((choice) => (
        <label key={choice.value} class="option">
          <input
            type="checkbox"
            checked={choice.isChosen}
            onChange={() => setQuery(toggled(facet, choice, filter))}
          />
          <bdi>{choice.label}</bdi>
          <span class="count">{choice.count}</span>
        </label>
      ))}
      {found.length === 0 && <p class="none">No match.</p>}
      {found.length > SHOWN_MAX && (
        <p class="none">{found.length - SHOWN_MAX} more: type to find them.</p>
      )}
    </>
  )
}
