import type { ContainerRun } from './container-run.ts'
import type { LineTemplate } from './log-pattern.ts'
import { patternOf } from './patterns.ts'
import { seededRandom } from './random.ts'

/** Older lines count as rotated away. */
const LINES_MAX = 3_000
const BOOT_MS = 180
const LAST_MS = 45
/** Maximum delay of a line, as a fraction of the interval between lines. */
const JITTER = 0.8

export interface LogLine {
  readonly at: number
  readonly text: string
}

/** The lines of a run after `from` and up to `until`. Lines are not stored: each is derived from its run and index. */
export function linesOf(run: ContainerRun, from: number, until: number): readonly LogLine[] {
  const pattern = patternOf(run.image, run.isJob)
  const render = (template: LineTemplate, at: number, index: number, part: string): LogLine => {
    const random = seededRandom(`${run.id}/${part}/${index}`)
    return { at, text: template({ ...random, index, time: new Date(at).toISOString() }) }
  }
  const isRequested = (at: number) => at > from && at <= until

  const boot = pattern.boot.map((template, index) =>
    render(template, run.startedAt + index * BOOT_MS, index, 'boot'),
  )
  const begins = run.startedAt + pattern.boot.length * BOOT_MS
  const ends = (run.endedAt ?? Number.POSITIVE_INFINITY) - pattern.last.length * LAST_MS
  const steady: LogLine[] = []
  const newest = Math.floor((Math.min(until, ends) - begins) / pattern.everyMs)
  const oldest = Math.max(Math.floor((from - begins) / pattern.everyMs) - 1, newest - LINES_MAX, 0)
  for (let index = oldest; index <= newest; index++) {
    const random = seededRandom(`${run.id}/turn/${index}`)
    const at = begins + Math.floor((index + (random.int(0, 100) / 100) * JITTER) * pattern.everyMs)
    if (isRequested(at) && at < ends)
      steady.push(render(random.pick(pattern.steady), at, index, 'steady'))
  }
  const last = run.endedAt === undefined ? [] : pattern.last
  return [
    ...boot.filter(({ at }) => isRequested(at)),
    ...steady,
    ...last
      .map((template, index) => render(template, ends + (index + 1) * LAST_MS, index, 'last'))
      .filter(({ at }) => isRequested(at)),
  ].slice(-LINES_MAX)
}
