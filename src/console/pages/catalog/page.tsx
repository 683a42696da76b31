import { useResource } from '../../api/resource.ts'
import { PATHS, pathOf } from '../../paths.ts'
import { query, setQuery } from '../../router.ts'
import { Icon } from '../../ui/icon.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Empty, Loading, ProblemNote, Status } from '../../ui/parts.tsx'
import { counted, kindIcon } from '../../ui/words.ts'
import type { AnswerOf } from '../../api/call.ts'

type Entity = AnswerOf<'get', '/api/v1/catalog/entities'>[number]

const FIELDS = [
  'kind',
  'metadata.name',
  'metadata.title',
  'metadata.description',
  'spec.type',
  'spec.lifecycle',
  'spec.owner',
  'spec.system',
]
const ROWS = 60

export default function Catalog() {
  const q = query.value.get('q') ?? ''
  const list = useResource('/api/v1/catalog/entities', {
    query: { q, limit: ROWS, fields: FIELDS },
    topic: 'catalog',
  })
  return (
    <>
      <PageHead title="Catalog">
        <a class="button primary" href={PATHS.templates}>
          <Icon name="plus" />
          New project
        </a>
      </PageHead>
      <search>
        <div class="field">
          <Icon name="search" />
          <input
            type="search"
            aria-label="Search the catalog"
            placeholder="Search name, tag, owner…"
            autocomplete="off"
            spellcheck={false}
            value={q}
            onInput={(event) => setQuery({ q: event.currentTarget.value }, { replace: true })}
          />
        </div>
      </search>
      {list.problem !== undefined && (
        <ProblemNote
          problem={list.problem}
          retry={list.reload}
          isStale={list.value !== undefined}
        />
      )}
      <Rows entities={list.value} />
      <p class="foot" role="status">
        {list.value !== undefined &&
          counted(Number(list.headers?.get('x-total-count') ?? 0), 'entity', 'entities')}
      </p>
    </>
  )
}

function Rows({ entities }: { readonly entities: readonly Entity[] | undefined }) {
  if (entities === undefined) return <Loading>Loading the catalog…</Loading>
  if (entities.length === 0) return <Empty title="Nothing matches" />
  return (
    <table class="list">
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Type</th>
          <th scope="col">Lifecycle</th>
        </tr>
      </thead>
      <tbody>
        {entities.map(({ kind, metadata, spec }) => (
          <tr key={`${kind}/${metadata.name}`}>
            <td class="catalog-name">
              <Icon name={kindIcon(kind)} />
              <a href={pathOf('entity', { kind: kind.toLowerCase(), name: metadata.name })}>
                <bdi>{metadata.title ?? metadata.name}</bdi>
              </a>
              <span class="muted">{metadata.description}</span>
            </td>
            <td>{spec?.type}</td>
            <td>{typeof spec?.lifecycle === 'string' && <Status of={spec.lifecycle} />}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
