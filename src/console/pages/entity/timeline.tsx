import { useResource } from '../../api/resource.ts'
import { exactWords } from '../../ui/time-words.ts'
import type { Environment } from './stage.ts'
import { DAYS, timelineOf } from './timeline-bars.ts'

interface TimelineProps {
  readonly names: readonly Environment['name'][]
  readonly params: { readonly kind: string; readonly name: string }
}

/** The last half a year of every environment. */
export const Timeline = ({ names, params }: TimelineProps) => (
  <dl class="timeline">
    {names.map((name) => (
      <Line key={name} name={name} params={params} />
    ))}
  </dl>
)

/** The largest page of the history. */
export const ROWS_MAX = 50

function Line({
  name,
  params,
}: Pick<TimelineProps, 'params'> & { readonly name: Environment['name'] }) {
  const { value, at } = useResource('/api/v1/catalog/entities/{kind}/{name}/promotion/history', {
    params,
    query: { environment: name, limit: ROWS_MAX },
    topic: `promotion:${params.kind}/${params.name}`,
  })
  const bars = value === undefined ? [] : timelineOf(value, at)
  return (
    <>
      <dt title={name}>{name}</dt>
      <dd title={`The last ${DAYS} days`}>
        {bars.map(({ version, fromMs, share }) => (
          <span
            key={fromMs}
            class={version === null ? undefined : 'bar'}
            style={{ flexGrow: String(share) }}
            title={version === null ? undefined : `${version} since ${exactWords(fromMs)}`}
          >
            {version}
          </span>
        ))}
      </dd>
    </>
  )
}
