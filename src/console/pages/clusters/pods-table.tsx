import { useSignal } from '@preact/signals'
import type { Pod } from '../../api/live/events.ts'
import { pathOf } from '../../paths.ts'
import { Status } from '../../ui/parts.tsx'
import { Age, Time } from '../../ui/time.tsx'
import { counted } from '../../ui/words.ts'
import type { Place } from './place.ts'
import { podWord } from './pod-words.ts'

export interface PodsTableProps {
  readonly place: Place
  readonly pods: readonly Pod[]
}

/** Rows that are drawn at first. */
const ROWS = 100

/** Pods as `kubectl get pods --output wide` lists them. */
export function PodsTable({ place, pods }: PodsTableProps) {
  const count = useSignal(ROWS)
  const hidden = pods.length - count.value
  return (
    <>
      <PodRows place={place} pods={pods.slice(0, count.value)} />
      {hidden > 0 && (
        <p class="more">
          <button
            type="button"
            class="button"
            onClick={() => {
              count.value = pods.length
            }}
          >
            Show {counted(hidden, 'more pod')}
          </button>
        </p>
      )}
    </>
  )
}

const PodRows = ({ place, pods }: PodsTableProps) => (
  <table class="list words">
    <thead>
      <tr>
        <th scope="col">Name</th>
        <th scope="col" class="few from-s">
          Ready
        </th>
        <th scope="col" class="state">
          Status
        </th>
        <th scope="col" class="some from-s">
          Restarts
        </th>
        <th scope="col" class="few from-m">
          Age
        </th>
        <th scope="col" class="some from-l">
          Node
        </th>
      </tr>
    </thead>
    <tbody>
      {pods.map((pod, index) => (
        <tr key={pod.uid}>
          <td class="name">
            <a
              href={pathOf('pod', { ...place, pod: pod.name })}
              aria-keyshortcuts={index === 0 ? 'l' : undefined}
            >
              {pod.name}
            </a>
          </td>
          <td class="from-s">
            {pod.ready.ready}/{pod.ready.total}
          </td>
          <td>
            <Status of={podWord(pod)} />
          </td>
          <td class="from-s">
            <Restarts pod={pod} />
          </td>
          <td class="from-m">
            <Age at={pod.createdAt} />
          </td>
          <td class="from-l" title={pod.node ?? undefined}>
            {pod.node ?? 'none yet'}
          </td>
        </tr>
      ))}
    </tbody>
  </table>
)

/** `11 · OOMKilled 3 min ago`. */
function Restarts({ pod }: { readonly pod: Pod }) {
  const { restarts, lastRestartAt, lastTermination } = pod
  if (restarts === 0) return <>0</>
  return (
    <>
      {restarts}
      {lastTermination !== null &&
        ` · ${lastTermination.reason ?? `exit code ${lastTermination.exitCode}`}`}{' '}
      {lastRestartAt !== null && <Time at={lastRestartAt} />}
    </>
  )
}
