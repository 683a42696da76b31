import { useResource } from '../../api/resource.ts'
import { pathOf } from '../../paths.ts'
import { EntityLink } from '../../ui/link.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Card } from '../../ui/card.tsx'
import { AnswerState, Status } from '../../ui/parts.tsx'
import { counted, kindIcon } from '../../ui/words.ts'
import type { ContentsFilter } from './entity.ts'

const FIELDS = [
  'kind',
  'metadata.name',
  'metadata.title',
  'metadata.description',
  'spec.type',
  'spec.lifecycle',
]

/** More are in the catalog, which filters and sorts them. */
const SHOWN_MAX = 60

/** The parts of a system, or the property of a group, with the state of each. */
export function Contents({ filter }: { readonly filter: ContentsFilter }) {
  const answer = useResource('/api/v1/catalog/entities', {
    query: { ...filter.query, limit: SHOWN_MAX, fields: FIELDS },
    topic: 'catalog',
  })
  const { value, headers } = answer
  const count = Number(headers?.get('x-total-count') ?? 0)
  return (
    <Card
      id="contents"
      title={filter.title}
      end={
        count > 0 && (
          <a href={pathOf('catalog', {}, filter.query)}>
            {counted(count, 'entity', 'entities')} in the catalog
          </a>
        )
      }
    >
      <AnswerState answer={answer}>Reading the catalog…</AnswerState>
      {value?.length === 0 && <p class="none">Nothing belongs to it yet.</p>}
      <ul class="rows contents">
        {value?.map(({ kind, metadata, spec }) => (
          <li key={`${kind}/${metadata.name}`}>
            <Icon name={kindIcon(kind)} />
            <p>
              <EntityLink to={{ kind, ...metadata }} />{' '}
              <bdi class="muted">{metadata.description}</bdi>
            </p>
            <span class="muted">{spec?.type ?? kind.toLowerCase()}</span>
            <span>{typeof spec?.lifecycle === 'string' && <Status of={spec.lifecycle} />}</span>
          </li>
        ))}
      </ul>
    </Card>
  )
}
