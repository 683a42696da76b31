import { useResource } from '../../api/resource.ts'
import { PATHS } from '../../paths.ts'
import { AnswerState } from '../../ui/answer-state.tsx'
import { Card, Status } from '../../ui/parts.tsx'
import { visible } from '../../ui/visible.ts'
import type { Word } from '../../ui/words.ts'
import { WORDS } from './words.ts'

const WORKS: Word = { tone: 'ok', icon: 'check', label: 'Works' }
const FAILS: Word = { tone: 'bad', icon: 'cross', label: 'Fails' }
const UNCHECKED: Word = { tone: 'idle', icon: 'dash', label: 'Not checked yet' }

const CHECKS = [
  ['git', 'Git host'],
  ['database', 'Database'],
  ['secretStore', 'Secret store'],
] as const

/** What Portico depends on, as its readiness probe has found it, and the clusters of its registry. */
export function Connections() {
  const ready = useResource('/readyz')
  const clusters = useResource('/api/v1/clusters')
  return (
    <Card id="connections" title={WORDS.connections} end={<a href={PATHS.clusters}>Clusters</a>}>
      <AnswerState answer={ready} />
      <ul class="rows home-facts">
        {CHECKS.map(([name, label]) => {
          const check = ready.value?.checks?.[name]
          return (
            <li key={name}>
              <span>{label}</span>
              {ready.value !== undefined && (
                <Status of={check == null ? UNCHECKED : check.ok ? WORKS : FAILS} />
              )}
            </li>
          )
        })}
        {clusters.value?.map(({ id, name, status }) => (
          <li key={id}>
            <bdi>{visible(name)}</bdi>
            <Status of={status} />
          </li>
        ))}
      </ul>
    </Card>
  )
}
