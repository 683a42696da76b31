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
  const { boot, steady, everyMs, last = [] } = patternOf(run.image, run.isJob)
  const render = (template: LineTemplate, at: number, index: number, part: string): LogLine => {
    const random = seededRandom(`${run.id}/${part}/${index}`)
    return { at, text: template({ ...random, index, time: new Date(at).toISOString() }) }
  }
  const begins = run.startedAt + boot.length * BOOT_MS
  const ends = (run.endedAt ?? Number.POSITIVE_INFINITY) - last.length * LAST_MS
  const steadyLines: LogLine[] = []
  const newest = Math.floor((Math.min(until, ends) - begins) / everyMs)
  const oldest = Math.max(Math.floor((from - begins) / everyMs) - 1, newest - LINES_MAX, 0)
  for (let index = oldest; index <= newest; index++) {
    const random = seededRandom(`${run.id}/turn/${index}`)
    const at = begins + Math.floor((index + (random.int(0, 100) / 100) * JITTER) * everyMs)
    if (at < ends) steadyLines.push(render(random.pick(steady), at, index, 'steady'))
  }
  return [
    ...boot.map((line, index) => render(line, run.startedAt + index * BOOT_MS, index, 'boot')),
    ...steadyLines,
    ...(run.endedAt === undefined ? [] : last).map((line, index) =>
      render(line, ends + (index + 1) * LAST_MS, index, 'last'),
    ),
  ]
    .filter(({ at }) => at > from && at <= until)
    .slice(-LINES_MAX)
}
