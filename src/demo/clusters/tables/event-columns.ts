import type { ClusterEvent } from '../objects.ts'
import { age } from './age.ts'
import { type Column, count, text, title, wide } from './column.ts'

const objectOf = ({ involvedObject: { kind = '', name } }: ClusterEvent) =>
  `${kind.toLowerCase()}/${name}`

const sourceOf = ({ source }: ClusterEvent) =>
  [source?.component, source?.host].filter(Boolean).join(', ')

/** What `kubectl get events` prints. */
export const eventColumns: readonly Column<ClusterEvent>[] = [
  text('Last Seen', ({ lastTimestamp }, now) => age(lastTimestamp, now)),
  text('Type', ({ type }) => type ?? ''),
  text('Reason', ({ reason }) => reason ?? ''),
  text('Object', objectOf),
  wide(text('Subobject', ({ involvedObject }) => involvedObject.fieldPath ?? '')),
  wide(text('Source', sourceOf)),
  text('Message', ({ message }) => (message ?? '').trim()),
  wide(text('First Seen', ({ firstTimestamp }, now) => age(firstTimestamp, now))),
  wide(count('Count', (event) => event.count ?? 1)),
  wide(title('Name', ({ metadata }) => metadata.name)),
]
