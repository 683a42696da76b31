import { useEffect, useRef } from 'preact/hooks'
import type { Pod } from '../../api/live/events.ts'
import { liveState } from '../../api/live/tabs.ts'
import type { LogReading } from './use-log.ts'

/** Names a run of a container while it runs; null while it does not. */
export function runOf(pod: Pick<Pod, 'containers'>, container: string): string | null {
  const found = pod.containers.find(({ name }) => name === container)
  return found?.state === 'running' ? `${container} ${found.restarts}` : null
}

/** Reads a log again for those who follow it: those who read further up keep their place. */
export function useAgain(reading: LogReading, isAtEnd: boolean, run: string | null): void {
  useReturn(reading, isAtEnd)
  useReconnect(reading, isAtEnd)
  useNextRun(reading, isAtEnd ? run : null)
}

/** Reads a log again that was left because the tab was hidden. */
function useReturn({ state, again }: LogReading, isAtEnd: boolean) {
  const isReleased = state.kind === 'released' && isAtEnd
  useEffect(() => {
    if (!isReleased) return undefined
    const look = () => {
      if (document.visibilityState === 'visible') again()
    }
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [isReleased])
}

/** Reads a log again whose connection broke, when the connection to Portico is back. */
function useReconnect({ state, again }: LogReading, isAtEnd: boolean) {
  const wasLost = useRef(false)
  const stream = liveState.value
  useEffect(() => {
    if (stream === 'lost') wasLost.current = true
    if (stream !== 'live' || !wasLost.current) return
    wasLost.current = false
    if (state.kind === 'lost' && isAtEnd) again()
  }, [stream])
}

/** Reads the next run after one that ended, and the first one, which could not be read before it began. */
function useNextRun({ state, again }: LogReading, run: string | null) {
  const last = useRef(run)
  useEffect(() => {
    if (run === null || run === last.current) return
    last.current = run
    if (state.kind === 'ended' || state.kind === 'refused') again()
  }, [run])
}
