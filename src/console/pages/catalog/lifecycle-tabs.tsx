import { type Resource, useResource } from '../../api/resource.ts'
import { pathOf } from '../../paths.ts'
import { Copy } from '../../ui/copy.tsx'
import { wordOf } from '../../ui/words.ts'
import { countingFilter, type Filter, lifecycleTabs } from './filters.ts'
import { useSettled } from './settled.ts'

/** Hexadecimal digits of a commit that people read. */
const COMMIT_SHOWN = 8

export interface LifecycleTabsProps {
  readonly filter: Filter
  /** The list: its answer says which commit it is of. */
  readonly list: Pick<Resource<unknown>, 'headers'>
  /** Takes all filters back; absent without any. */
  readonly onClear?: (() => void) | undefined
}

export function LifecycleTabs({ filter, list, onClear }: LifecycleTabsProps) {
  const counting = countingFilter(filter, 'lifecycle')
  const { value } = useResource('/api/v1/catalog/facets', {
    query: useSettled(counting, pathOf('catalog', {}, counting)),
    topic: 'catalog',
  })
  const revision = list.headers?.get('x-catalog-revision') ?? undefined
  return (
    <div class="tabs">
      <nav aria-label="Lifecycle">
        {lifecycleTabs(value, filter).map(({ value: lifecycle, count, isChosen }) => (
          <a
            key={lifecycle}
            href={pathOf('catalog', {}, { ...filter, lifecycle })}
            aria-current={isChosen ? 'true' : undefined}
          >
            {lifecycle === '' ? 'All' : wordOf(lifecycle).label}
            <span class="n">{count?.toLocaleString('en')}</span>
          </a>
        ))}
      </nav>
      {onClear !== undefined && (
        <button type="button" class="button quiet catalog-clear" onClick={onClear}>
          Clear filters
        </button>
      )}
      {revision !== undefined && (
        <p class="end">
          As of <code title={revision}>{revision.slice(0, COMMIT_SHOWN)}</code>
          <Copy text={revision} name="the commit of the catalog" />
        </p>
      )}
    </div>
  )
}
