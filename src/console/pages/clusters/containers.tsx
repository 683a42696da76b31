import type { Pod } from '../../api/live/events.ts'
import { Copy } from '../../ui/copy.tsx'
import { Status } from '../../ui/parts.tsx'
import { Time } from '../../ui/time.tsx'
import { counted } from '../../ui/words.ts'
import { containerNote, containerWord } from './container-words.ts'

export interface ContainersProps {
  readonly pod: Pick<Pod, 'containers'>
}

/** The containers of a pod in the order of their start. */
export const Containers = ({ pod }: ContainersProps) => (
  <ul class="containers">
    {pod.containers.map((container) => (
      <li key={container.name}>
        <b>{container.name}</b>
        <Role of={container} />
        <Status of={containerWord(container)} />
        {container.restarts > 0 && <span>{counted(container.restarts, 'restart')}</span>}
        {container.image !== null && (
          <span class="containers-image">
            <code title={container.digest ?? undefined}>{container.image}</code>
            <Copy text={container.image} name={`the image of ${container.name}`} />
          </span>
        )}
        <Note text={containerNote(container)} />
        <LastRun of={container} />
      </li>
    ))}
  </ul>
)

type Container = Pod['containers'][number]

function Role({ of: { init, sidecar, ephemeral } }: { readonly of: Container }) {
  const role = sidecar ? 'sidecar' : init ? 'init' : ephemeral ? 'ephemeral' : null
  return role === null ? null : <span class="tag">{role}</span>
}

function LastRun({ of: { lastTermination: last } }: { readonly of: Container }) {
  if (last === null) return null
  return (
    <p class="muted">
      The run before: {last.reason ?? 'an error'}, exit code {last.exitCode}{' '}
      {last.finishedAt !== null && <Time at={last.finishedAt} />}
    </p>
  )
}

const Note = ({ text }: { readonly text: string | null }) =>
  text === null ? null : (
    <p>
      <bdi>{text}</bdi>
    </p>
  )
