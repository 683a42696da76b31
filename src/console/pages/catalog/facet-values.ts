import type { Query } from '../../paths.ts'
import { parseRef, shortName } from '../../ui/names.ts'
import { chosenOf, type Facet, type Filter, type ValueCount } from './filters.ts'

/** Whether a value of the address selects a value of the catalog; owners may be written in short. */
function selects(facet: Facet, written: string, value: string): boolean {
  const [one, other] = [written.toLowerCase(), value.toLowerCase()]
  if (one === other || facet !== 'owner') return one === other
  const [wanted, owner] = [parseRef(one), parseRef(other)]
  if (wanted === null || owner === null || wanted.name !== owner.name) return false
  return (
    (wanted.kind ?? owner.kind) === owner.kind &&
    (wanted.namespace ?? owner.namespace) === owner.namespace
  )
}

export interface Choice {
  readonly value: string
  readonly label: string
  readonly count: number
  readonly isChosen: boolean
}

/** Choices of a facet in the order of the API. What is chosen and has no entity stays, to be taken back. */
export function choicesOf(
  facet: Facet,
  counts: readonly ValueCount[],
  filter: Filter,
): readonly Choice[] {
  const chosen = chosenOf(filter, facet)
  const labels = shortLabels(facet, [...counts.map(({ value }) => value), ...chosen])
  const found = counts.map(({ value, count }) => ({
    value,
    label: labels(value),
    count,
    isChosen: chosen.some((written) => selects(facet, written, value)),
  }))
  const missing = chosen.filter(
    (written) => !counts.some(({ value }) => selects(facet, written, value)),
  )
  return [
    ...found,
    ...missing.map((value) => ({ value, label: labels(value), count: 0, isChosen: true })),
  ]
}

/** Owners are known by their short names, except where two of them share one. */
function shortLabels(facet: Facet, values: readonly string[]) {
  if (facet !== 'owner') return (value: string) => value
  const full = new Set(values.filter((value) => value !== shortName(value)))
  return (value: string) => {
    const short = shortName(value)
    const namesakes = [...full].filter((other) => shortName(other) === short)
    return namesakes.length > 1 ? value : short
  }
}

/** Change of the address that takes a choice, or takes it back. */
export function toggled(facet: Facet, { value, label, isChosen }: Choice, filter: Filter): Query {
  const others = chosenOf(filter, facet).filter((written) => !selects(facet, written, value))
  return { [facet]: (isChosen ? others : [...others, label]).join(',') }
}
