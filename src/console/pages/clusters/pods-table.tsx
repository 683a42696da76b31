import { useSignal } from '@preact/signals'
import type { Pod } from '../../api/live/events.ts'
import { pathOf } from '../../paths.ts'
import { More } from '../../ui/act.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
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
  const isWhole = useSignal(false)
  const shown = isWhole.value ? pods : pods.slice(0, ROWS)
  const hidden = pods.length - shown.length
  return (
    <>
      <DataTable columns={columnsAt(place)} rows={shown} keyOf={({ uid }) => uid} />
      {hidden > 0 && (
        <More onClick={() => (isWhole.value = true)}>Show {counted(hidden, 'more pod')}</More>
      )}
    </>
  )
}

const columnsAt = (place: Place): readonly Column<Pod>[] => [
  {
    label: 'Name',
    cell: ({ name }, index) => (
      <a
        href={pathOf('pod', { ...place, pod: name })}
        aria-keyshortcuts={index === 0 ? 'l' : undefined}
      >
        {name}
      </a>
    ),
  },
  { label: 'Ready', class: 'few from-s', cell: ({ ready }) => `${ready.ready}/${ready.total}` },
  { label: 'Status', class: 'state', cell: (pod) => <Status of={podWord(pod)} /> },
  { label: 'Restarts', class: 'some from-s', cell: (pod) => <Restarts pod={pod} /> },
  { label: 'Age', class: 'few from-m', cell: ({ createdAt }) => <Age at={createdAt} /> },
  {
    label: 'Node',
    class: 'some from-l',
    title: ({ node }) => node ?? undefined,
    cell: ({ node }) => node ?? 'none yet',
  },
]

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
