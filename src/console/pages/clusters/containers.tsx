import type { Pod } from '../../api/live/events.ts'
import { Copy } from '../../ui/copy.tsx'
import { Status } from '../../ui/parts.tsx'
import { counted } from '../../ui/words.ts'
import { containerNote, containerWord } from './container-words.ts'

export interface ContainersProps {
  readonly pod: Pick<Pod, 'containers' | 'lastTermination'>
}

/** The containers of a pod in the order of their start. */
export const Containers = ({ pod }: ContainersProps) => (
  <ul class="containers">
    {pod.containers.map((container) => (
      <li key={container.name}>
        <b>{container.name}</b>
        {(container.init || container.sidecar) && (
          <span class="tag">{container.sidecar ? 'sidecar' : 'init'}</span>
        )}
        <Status of={containerWord(container)} />
        {container.restarts > 0 && <span>{counted(container.restarts, 'restart')}</span>}
        {container.image !== null && (
          <span class="containers-image">
            <code>{container.image}</code>
            <Copy text={container.image} name={`the image of ${container.name}`} />
          </span>
        )}
        <Note text={containerNote(container)} />
      </li>
    ))}
  </ul>
)

const Note = ({ text }: { readonly text: string | null }) =>
  text === null ? null : (
    <p>
      <bdi>{text}</bdi>
    </p>
  )
