import type { HistoryRow } from './history-words.ts'
import { versionOf } from './stage.ts'

const DAY_MS = 86_400_000
export const DAYS = 180

/** A version for as long as it ran; `null`: nothing did, or it is not known. */
export interface Bar {
  readonly version: string | null
  readonly fromMs: number
  /** Part of the whole line. */
  readonly share: number
}

/** The versions of an environment in the last 180 days as bars, oldest first, from the newest rows of its history. */
export function timelineOf(rows: readonly HistoryRow[], nowMs: number): readonly Bar[] {
  const beginMs = nowMs - DAYS * DAY_MS
  const bars: Bar[] = []
  let endMs = nowMs
  for (const { at, image } of rows) {
    const fromMs = Math.max(at === null ? endMs : Date.parse(at), beginMs)
    if (fromMs >= endMs) continue
    bars.unshift({
      version: image === null ? null : versionOf(image),
      fromMs,
      share: (endMs - fromMs) / (nowMs - beginMs),
    })
    endMs = fromMs
  }
  const unknown = { version: null, fromMs: beginMs, share: (endMs - beginMs) / (nowMs - beginMs) }
  return joined(unknown.share > 0 ? [unknown, ...bars] : bars)
}

/** A change of settings leaves the version as it was. */
const joined = (bars: readonly Bar[]): readonly Bar[] =>
  bars.reduce<readonly Bar[]>((all, bar) => {
    const last = all.at(-1)
    return last?.version === bar.version && last !== undefined
      ? [...all.slice(0, -1), { ...last, share: last.share + bar.share }]
      : [...all, bar]
  }, [])
