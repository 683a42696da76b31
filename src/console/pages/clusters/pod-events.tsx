import { useEffect } from 'preact/hooks'
import { useResource } from '../../api/resource.ts'
import { AnswerState } from '../../ui/answer-state.tsx'
import { Events } from './events.tsx'
import type { Place } from './place.ts'

export interface PodEventsProps {
  readonly place: Place
  readonly pod: string
  /** The events are asked for again when it changes. */
  readonly version: string
}

/** Events of a pod. */
export function PodEvents({ place, pod, version }: PodEventsProps) {
  const list = useResource(
    '/api/v1/clusters/{clusterId}/namespaces/{namespace}/pods/{name}/events',
    { params: { clusterId: place.cluster, namespace: place.namespace, name: pod } },
  )
  useEffect(() => void list.reload(), [version])
  return (
    <>
      <AnswerState answer={list}>Loading the events…</AnswerState>
      {list.value !== undefined && <Events events={list.value} />}
    </>
  )
}
