import type { Pod } from '../../api/live/events.ts'
import type { Word } from '../../ui/words.ts'
import { ADVICE } from './pod-words.ts'

type Container = Pod['containers'][number]

/** Reasons to wait that are no trouble. */
const STARTING = new Set(['ContainerCreating', 'PodInitializing'])

/** State and reason of a container, in Kubernetes' words. */
export function containerWord({ state, reason, ready, init, sidecar }: Container): Word {
  if (state === 'running') {
    // An init container that runs is at work, and is never ready.
    if (ready || (init && !sidecar)) return { tone: 'ok', icon: 'check', label: 'Running' }
    return { tone: 'warn', icon: 'clock', label: 'Running, not ready' }
  }
  if (state === 'terminated') {
    if (reason === 'Completed') return { tone: 'idle', icon: 'circle', label: 'Completed' }
    return { tone: 'bad', icon: 'cross', label: reason ?? 'Terminated' }
  }
  if (state === null || reason === null || STARTING.has(reason)) {
    return { tone: 'info', icon: 'arrows', label: reason ?? 'Waiting' }
  }
  return { tone: 'bad', icon: 'cross', label: reason }
}

/** The cluster's words for the state, or the meaning of its reason. */
export const containerNote = ({ message, reason }: Container): string | null =>
  message ?? (reason === null ? null : (ADVICE[reason] ?? null))
