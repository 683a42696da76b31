import type { AnswerOf } from '../../api/call.ts'
import { useResource } from '../../api/resource.ts'
import { query, setQuery } from '../../router.ts'
import { Card } from '../../ui/card.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Choice } from '../../ui/field.tsx'
import { OutsideLink } from '../../ui/link.tsx'
import { AnswerState } from '../../ui/parts.tsx'
import { Time } from '../../ui/time.tsx'
import { counted } from '../../ui/words.ts'
import type { Environment, Promotion } from './stage.ts'
import { AFTER_MS, type PromotionProps } from './use-entity.ts'

type Name = Environment['name']
type Comparison = AnswerOf<'get', '/api/v1/catalog/entities/{kind}/{name}/promotion/compare'>
type Difference = Comparison['differences'][number]

/** The two environments that the address names, or else the way to the last one that something has reached. */
function pairOf({ environments }: Promotion): readonly [Name, Name] | null {
  const names = environments.filter(({ overlay }) => overlay).map(({ name }) => name)
  const named = (key: string) =>
    environments.find(({ name }) => name === query.value.get(key))?.name
  const from = named('from') ?? names.at(-2)
  const to = named('against') ?? names.findLast((name) => name !== from)
  return from === undefined || to === undefined ? null : [from, to]
}

/** The differences between two environments: a promotion would bring them. */
export function Compare({ promotion, params }: PromotionProps) {
  const pair = pairOf(promotion)
  const [from = 'dev', to = 'dev'] = pair ?? []
  const answer = useResource(
    pair === null ? null : '/api/v1/catalog/entities/{kind}/{name}/promotion/compare',
    { params, query: { from, to }, everyMs: AFTER_MS, version: promotion.revision },
  )
  if (pair === null) return null
  const { value } = answer
  const choice = (label: string, key: 'from' | 'against', chosen: Name) => (
    <Choice
      class="button"
      label={label}
      value={chosen}
      options={promotion.environments.map(({ name }) => name)}
      onChoose={(name) => setQuery({ [key]: name }, { replace: true })}
    />
  )
  return (
    <Card
      id="compare"
      title="Compare"
      end={
        <div class="compare-pair">
          {choice('From', 'from', from)}
          <span aria-hidden="true">→</span>
          {choice('To', 'against', to)}
        </div>
      }
    >
      <AnswerState answer={answer}>Comparing…</AnswerState>
      {value !== undefined && (
        <>
          {value.differences.length === 0 ? (
            <p class="none">Same settings.</p>
          ) : (
            <DataTable
              rows={value.differences}
              keyOf={({ field }) => field}
              columns={columnsOf(from, to)}
            />
          )}
          {value.secrets !== null && value.secrets.missing.length > 0 && (
            <p class="train-bar" data-tone="bad">
              <span>
                Missing in {to}: <code>{value.secrets.missing.join(', ')}</code>
              </span>
            </p>
          )}
          {value.commits !== null && value.commits.length > 0 && (
            <>
              <p class="train-bar">
                <b>
                  {to} would get {counted(value.commits.length, 'commit')}
                  {value.truncated && ', and older ones'}
                </b>
              </p>
              <ol class="rows commits">
                {value.commits.map(({ id, subject, by, at, url }) => (
                  <li key={id}>
                    <OutsideLink url={url}>
                      <bdi>{subject}</bdi>
                    </OutsideLink>
                    <small>
                      <bdi>{by?.name}</bdi> {at !== null && <Time at={at} />}
                    </small>
                  </li>
                ))}
              </ol>
            </>
          )}
        </>
      )}
    </Card>
  )
}

const columnsOf = (from: Name, to: Name): readonly Column<Difference>[] => [
  { label: 'Setting', cell: ({ field }) => LABELS[field] ?? field },
  { label: from, cell: (difference) => <code>{difference.from ?? '–'}</code> },
  { label: to, cell: (difference) => <code>{difference.to ?? '–'}</code> },
]

const LABELS: Readonly<Record<string, string>> = {
  image: 'Image',
  replicas: 'Replicas',
  'resources.requests.cpu': 'CPU request',
  'resources.requests.memory': 'Memory request',
  'resources.limits.cpu': 'CPU limit',
  'resources.limits.memory': 'Memory limit',
  'ingress.host': 'Host',
  'database.tier': 'Database',
  'database.name': 'Database name',
}
