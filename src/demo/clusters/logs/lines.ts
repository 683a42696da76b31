import { chancesOf, seedOf } from './random.ts'
import type { ContainerRun } from './container-run.ts'
import { storyOf } from './stories.ts'
import type { Line } from './story.ts'

/** As if the file had been rotated: older lines are gone. */
const LINES_MAX = 3_000
const BOOT_MS = 180
const LAST_MS = 45
/** How far a line may be from its turn, as a part of the time between two. */
const JITTER = 0.8

export interface LogLine {
  readonly at: number
  readonly text: string
}

/** What a run wrote after `from` and up to `until`. Nothing is kept: a line follows from its run and its place. */
export function linesOf(run: ContainerRun, from: number, until: number): readonly LogLine[] {
  const story = storyOf(run.image, run.isJob)
  const tell = (line: Line, at: number, index: number, part: string): LogLine => {
    const chances = chancesOf(seedOf(`${run.id}/${part}/${index}`))
    const moment = { ...chances, index, time: new Date(at).toISOString() }
    return { at, text: line(moment) }
  }
  const isAsked = (at: number) => at > from && at <= until

  const boot = story.boot.map((line, index) =>
    tell(line, run.startedAt + index * BOOT_MS, index, 'boot'),
  )
  const begins = run.startedAt + story.boot.length * BOOT_MS
  const ends = (run.endedAt ?? Number.POSITIVE_INFINITY) - story.last.length * LAST_MS
  const steady: LogLine[] = []
  const newest = Math.floor((Math.min(until, ends) - begins) / story.everyMs)
  const oldest = Math.max(Math.floor((from - begins) / story.everyMs) - 1, newest - LINES_MAX, 0)
  for (let index = oldest; index <= newest; index++) {
    const chances = chancesOf(seedOf(`${run.id}/turn/${index}`))
    const at = begins + Math.floor((index + (chances.int(0, 100) / 100) * JITTER) * story.everyMs)
    if (isAsked(at) && at < ends) steady.push(tell(chances.pick(story.steady), at, index, 'steady'))
  }
  const last = run.endedAt === undefined ? [] : story.last
  return [
    ...boot.filter(({ at }) => isAsked(at)),
    ...steady,
    ...last
      .map((line, index) => tell(line, ends + (index + 1) * LAST_MS, index, 'last'))
      .filter(({ at }) => isAsked(at)),
  ].slice(-LINES_MAX)
}
