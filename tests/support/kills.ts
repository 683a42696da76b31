import { expect } from 'bun:test'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundle, type MortalRun, startMortal } from './mortal-process.ts'

const AT_ONCE = 2

export interface Kills {
  /**
   * A program of `tests/peers` that does something once, whatever died before it. Its arguments are a data directory and the
   * number of the point to die at, see `mortal.ts`; it prints how many points it passed, and its answer.
   */
  readonly program: string
  readonly answer: string
  /** Fills a data directory before the first start. */
  readonly prepare: (directory: string) => Promise<void>
  /** The state of a data directory, in comparable form. */
  readonly census: (directory: string) => Promise<unknown>
  /** The state that an uninterrupted program leaves. */
  readonly expected: object
  /** Exact, so that no effect vanishes unnoticed. */
  readonly points: number
  /** At which points to die before the program may live: the points of each try, of as many as there are. */
  readonly deaths: (points: number) => readonly (readonly number[])[]
}

/** Kills a program at points between two effects, and expects the final state of an uninterrupted one. */
export async function expectSurvival(kills: Kills): Promise<void> {
  const { census, expected, answer } = kills
  const root = await mkdtemp(join(tmpdir(), 'portico-kills-'))
  const origin = join(root, 'origin')
  await kills.prepare(origin)
  const program = await bundle(kills.program, join(root, 'program'))
  const copyOf = async (source: string, name: string): Promise<string> => {
    const copy = join(root, name)
    await cp(source, copy, { recursive: true })
    return copy
  }
  /** Data directories by deaths: tries that begin with the same deaths share them. */
  const remains = new Map([['', Promise.resolve(origin)]])
  const remainsOf = (deaths: readonly number[]): Promise<string> => {
    const name = deaths.join('-')
    const made = remains.get(name) ?? die(deaths, name)
    remains.set(name, made)
    return made
  }
  const die = async (deaths: readonly number[], name: string): Promise<string> => {
    const before = deaths.slice(0, -1)
    const directory = await copyOf(await remainsOf(before), `dead-${name}`)
    const dieAt = deaths.at(-1) ?? 0
    const { signal, stdout, stderr } = await run({ program, directory, dieAt })
    // A program that goes on where another died can be done before its point.
    const isDone = before.length > 0 && Number.parseInt(stdout, 10) < dieAt
    if (!isDone)
      expect({ deaths, signal, stderr }).toStrictEqual({ deaths, signal: 'SIGKILL', stderr: '' })
    return directory
  }
  try {
    const whole = await copyOf(origin, 'whole')
    const first = await run({ program, directory: whole })
    expect(first).toStrictEqual({
      stdout: expect.stringMatching(new RegExp(`^\\d+ ${answer}$`)),
      stderr: '',
      signal: null,
    })
    expect(await census(whole)).toStrictEqual(expected)
    const points = Number.parseInt(first.stdout, 10)
    expect(points).toBe(kills.points)

    const tries = [...kills.deaths(points)]
    const failures: unknown[] = []
    const workers = Array.from({ length: AT_ONCE }, async () => {
      for (let deaths = tries.pop(); deaths !== undefined; deaths = tries.pop()) {
        const directory = await copyOf(await remainsOf(deaths), deaths.join('-'))
        const last = await run({ program, directory })
        const left = await census(directory)
        if (!last.stdout.endsWith(` ${answer}`) || !Bun.deepEquals(left, expected)) {
          failures.push({ deaths, last, left })
        }
        await rm(directory, { recursive: true, force: true })
      }
    })
    await Promise.all(workers)
    expect(failures).toStrictEqual([])
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}

const run = (mortal: MortalRun) => startMortal(mortal).ended
