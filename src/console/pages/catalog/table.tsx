import { signal } from '@preact/signals'
import { setQuery } from '../../router.ts'
import { Icon } from '../../ui/icon.tsx'
import { type Filter, nextSort, type SortColumn, sortedBy } from './filters.ts'
import { columns, type Entity, Part, PART_ROWS, Rows } from './rows.tsx'

/** How many parts of which list are shown, for the way back from an entity. */
const shownParts = signal({ list: '', parts: 1 })

/** More environments than a window of 821 pixels has room for. */
const FITS_MAX = 3

export interface TableProps {
  /** Address of the list. */
  readonly name: string
  readonly filter: Filter
  /** The rows of the first part. */
  readonly entities: readonly Entity[]
  readonly total: number
}

export function Table({ name, filter, entities, total }: TableProps) {
  const parts = shownParts.value.list === name ? shownParts.value.parts : 1
  const showMore = () => {
    shownParts.value = { list: name, parts: parts + 1 }
  }
  const onEnd = parts * PART_ROWS < total ? showMore : undefined
  const isWide = columns.value.length > FITS_MAX
  const further = Array.from({ length: parts - 1 }, (_, at) => at + 1)
  return (
    <div class="catalog-scroll">
      <table
        class={`list catalog-list ${isWide ? 'many' : ''}`}
        style={{ '--environments': columns.value.length }}
        aria-label="Entities"
        aria-rowcount={total + 1}
      >
        <thead>
          <tr>
            <Sorted filter={filter} column="name" label="Name" />
            <th scope="col" class="catalog-type">
              Type
            </th>
            <th scope="col" class="catalog-system">
              System
            </th>
            <Sorted filter={filter} column="owner" label="Owner" />
            <Sorted filter={filter} column="lifecycle" label="Lifecycle" />
            {columns.value.map((environment) => (
              <th key={environment} scope="col" class="catalog-env">
                {environment}
              </th>
            ))}
          </tr>
        </thead>
        <Rows entities={entities} onEnd={parts === 1 ? onEnd : undefined} />
        {further.map((at) => (
          <Part
            key={`${name} ${at}`}
            filter={filter}
            offset={at * PART_ROWS}
            onEnd={at === parts - 1 ? onEnd : undefined}
          />
        ))}
      </table>
    </div>
  )
}

interface SortedProps {
  readonly filter: Filter
  readonly column: SortColumn
  readonly label: string
}

function Sorted({ filter, column, label }: SortedProps) {
  const sorted = sortedBy(filter, column)
  return (
    <th scope="col" class={`catalog-${column}`} aria-sort={sorted}>
      <button type="button" class="catalog-sort" onClick={() => setQuery(nextSort(filter, column))}>
        {label}
        {sorted !== undefined && <Icon name="chevron" />}
      </button>
    </th>
  )
}
