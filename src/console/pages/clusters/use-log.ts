import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { request } from '../../api/call.ts'
import { readLines } from '../../api/lines.ts'
import type { Pod } from '../../api/live/events.ts'
import { liveState } from '../../api/live/tabs.ts'
import type { Problem } from '../../api/result.ts'
import { appendLines, type LogLines, NO_LINES } from '../../ui/log-lines.ts'

/** Lines that come together are drawn together. */
const DRAW_AFTER_MS = 50
/** A followed log holds one of the browser's six connections; a tab that nobody sees gives it back. */
const RELEASE_HIDDEN_MS = 30_000

export type LogState =
  /** Asked for; a log that is followed answers with its first line. */
  | { readonly kind: 'opening' }
  | { readonly kind: 'reading' }
  | { readonly kind: 'ended' }
  /** The connection broke. */
  | { readonly kind: 'lost' }
  /** Ended because nobody looked. */
  | { readonly kind: 'released' }
  | { readonly kind: 'refused'; readonly problem: Problem }

interface Log {
  readonly lines: LogLines
  readonly state: LogState
}

export interface LogReading extends Log {
  /** Reads it from the beginning. */
  readonly again: () => void
}

const OPENING: Log = { lines: NO_LINES, state: { kind: 'opening' } }

/** The lines of a log, as they come. Null reads nothing. */
export function useLog(url: string | null): LogReading {
  const log = useSignal<Log>(OPENING)
  const round = useSignal(0)
  useEffect(() => (url === null ? undefined : read(url, log)), [url, round.value])
  return {
    ...log.value,
    again() {
      round.value += 1
    },
  }
}

/** Returns the function that stops reading. */
function read(url: string, log: Signal<Log>): () => void {
  const abort = new AbortController()
  let now = OPENING
  let timer: ReturnType<typeof setTimeout> | undefined
  const draw = () => {
    timer = undefined
    if (!abort.signal.aborted) log.value = now
  }
  const enter = (state: LogState) => {
    now = { ...now, state }
    clearTimeout(timer)
    draw()
  }
  enter({ kind: 'opening' })
  const unwatch = whenHidden(() => {
    if (now.state.kind !== 'opening' && now.state.kind !== 'reading') return
    enter({ kind: 'released' })
    abort.abort()
  })
  void stream(url, abort.signal, enter, (lines) => {
    now = { ...now, lines: appendLines(now.lines, lines) }
    timer ??= setTimeout(draw, DRAW_AFTER_MS)
  })
  return () => {
    unwatch()
    clearTimeout(timer)
    abort.abort()
  }
}

type Lines = Parameters<typeof appendLines>[1]

async function stream(
  url: string,
  signal: AbortSignal,
  enter: (state: LogState) => void,
  onLines: (lines: Lines) => void,
): Promise<void> {
  const answer = await request(url, { signal })
  if (signal.aborted) return
  if (!answer.ok) {
    enter({ kind: 'refused', problem: answer.problem })
    return
  }
  enter({ kind: 'reading' })
  try {
    if (answer.value.body !== null) {
      for await (const lines of readLines(answer.value.body)) onLines(lines)
    }
    if (!signal.aborted) enter({ kind: 'ended' })
  } catch {
    if (!signal.aborted) enter({ kind: 'lost' })
  }
}

/** Calls once the page was hidden for a while. */
function whenHidden(release: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const look = () => {
    clearTimeout(timer)
    if (document.visibilityState === 'hidden') timer = setTimeout(release, RELEASE_HIDDEN_MS)
  }
  document.addEventListener('visibilitychange', look)
  return () => {
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', look)
  }
}

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
