import { useEffect, useMemo, useRef } from 'preact/hooks'
import { type Resource, useResource } from '../../api/resource.ts'
import { later } from '../../load-later.ts'
import { entityPath, pathOf, PATHS } from '../../paths.ts'
import { go, query, setQuery, typeQuery } from '../../router.ts'
import { Icon } from '../../ui/icon.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { AnswerState, Empty } from '../../ui/parts.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { counted } from '../../ui/words.ts'
import { FacetMenu, MyTeams } from './facet-menu.tsx'
import { CLEARED, countWords, FACETS, type Filter, filterOf, isNarrowed } from './filters.ts'
import { LifecycleTabs } from './lifecycle-tabs.tsx'
import { ENTITIES, type Entity, partQuery } from './rows.tsx'
import { Table } from './table.tsx'

type List = Resource<readonly Entity[]>

const totalOf = ({ headers }: Pick<List, 'headers'>): number =>
  Number(headers?.get('x-total-count') ?? 0)

const clear = () => setQuery(CLEARED)

export default function Catalog() {
  const filter = filterOf(query.value)
  const code = later.value
  const list = useResource(ENTITIES, { query: partQuery(filter, 0), topic: 'catalog' })
  const openFirst = useOpenFirst(list)
  const name = pathOf('catalog', {}, filter)
  const total = totalOf(list)
  const table = useMemo(
    () =>
      list.value !== undefined &&
      list.value.length > 0 && (
        <Table name={name} filter={filter} entities={list.value} total={total} />
      ),
    // While an answer is on its way the rows of the former one stay as they are.
    [list.value, list.isPending ? undefined : name],
  )
  return (
    <>
      <PageHead title="Catalog">
        <Problems />
        <a class="button primary" href={PATHS.templates}>
          <Icon name="plus" />
          New project
        </a>
      </PageHead>
      <search class="catalog-filters">
        <Search filter={filter} onEnter={openFirst} />
        <div class="catalog-facets">
          <MyTeams filter={filter} />
          {FACETS.map((facet) => (
            <FacetMenu key={facet} facet={facet} filter={filter} />
          ))}
        </div>
      </search>
      <LifecycleTabs filter={filter} list={list} onClear={isNarrowed(filter) ? clear : undefined} />
      {code !== undefined && <code.StaleCatalog answer={list} />}
      <AnswerState answer={list} />
      {list.value?.length === 0 && <Nothing filter={filter} />}
      {table}
      <Foot filter={filter} list={list} />
    </>
  )
}

/** Enter opens the first entity of what was typed, also when its answer is still on its way. */
function useOpenFirst({ value, isPending }: List): () => void {
  const isWanted = useRef(false)
  const open = () => {
    isWanted.current = false
    const first = value?.[0]
    if (first === undefined) return
    go(entityPath({ kind: first.kind, name: first.metadata.name }))
  }
  useEffect(() => {
    if (isWanted.current && !isPending) open()
  }, [isPending])
  return () => {
    if (isPending) isWanted.current = true
    else open()
  }
}

function Problems() {
  const problems = useResource('/api/v1/catalog/problems', {
    query: { limit: 1 },
    topic: 'catalog',
  })
  const count = totalOf(problems)
  if (count === 0) return null
  return (
    <a class="button catalog-problems" href={PATHS.problems} data-tone="warn">
      <Icon name="warn" />
      {counted(count, 'problem')}
    </a>
  )
}

function Nothing({ filter }: { readonly filter: Filter }) {
  if (!isNarrowed(filter)) {
    return (
      <Empty title="The catalog is empty">
        <p>
          Add a file under <code>catalog/</code> in the gitops repository, or start a{' '}
          <a href={PATHS.templates}>new project</a>.
        </p>
      </Empty>
    )
  }
  return (
    <Empty title="Nothing matches">
      <p>No entity has all of this.</p>
      <button type="button" class="button" onClick={clear}>
        Clear filters
      </button>
    </Empty>
  )
}

function Foot({ filter, list }: { readonly filter: Filter; readonly list: List }) {
  const whole = useResource(isNarrowed(filter) ? ENTITIES : null, {
    query: { limit: 1, fields: ['kind'] },
    topic: 'catalog',
  })
  return (
    <footer class="foot">
      <p role="status">
        {list.value !== undefined &&
          countWords(totalOf(list), whole.value === undefined ? undefined : totalOf(whole))}
      </p>
      <p class="catalog-keys" aria-hidden="true">
        <kbd>j</kbd> <kbd>k</kbd> move, <kbd>↵</kbd> opens, <kbd>?</kbd> all keys
      </p>
    </footer>
  )
}

/** As the API takes it. */
const TEXT_MAX = 200

interface SearchProps {
  readonly filter: Filter
  /** Opens the first entity that is found. */
  readonly onEnter: () => void
}

const Search = ({ filter, onEnter }: SearchProps) => (
  <SearchField
    label="Search the catalog"
    shortcut="/"
    placeholder="Search name, tag, owner…"
    maxLength={TEXT_MAX}
    value={filter.q ?? ''}
    onInput={(q) => typeQuery({ q })}
    onKeyDown={(event) => {
      if (event.key === 'Enter') onEnter()
      if (event.key !== 'Escape') return
      if (filter.q === undefined) event.currentTarget.blur()
      else setQuery({ q: undefined }, { replace: true })
    }}
  >
    <kbd aria-hidden="true">/</kbd>
  </SearchField>
)
