import { expect } from 'bun:test'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const AT_ONCE = 2

export interface Kills {
  /**
   * A program of `tests/peers` that does something once, whatever died before it. Its arguments are a data directory and the
   * number of the point to die at, see `mortal.ts`; it prints how many points it passed, and its answer.
   */
  readonly program: string
  readonly answer: string
  /** Fills a data directory with what there is before. */
  readonly prepare: (directory: string) => Promise<void>
  /** Everything that may be left behind in a data directory, wherever. */
  readonly census: (directory: string) => Promise<unknown>
  /** What a program that never dies leaves. */
  readonly expected: object
  readonly pointsMin: number
  /** At which points to die before the program may live: the points of each try, of as many as there are. */
  readonly deaths: (points: number) => readonly (readonly number[])[]
}

/** Kills a program at points between two effects, and expects what it leaves in the end to be as if it had never died. */
export async function expectSurvival(kills: Kills): Promise<void> {
  const { census, expected, answer } = kills
  const root = await mkdtemp(join(tmpdir(), 'portico-kills-'))
  const origin = join(root, 'origin')
  await kills.prepare(origin)
  const copyOf = async (name: string): Promise<string> => {
    const copy = join(root, name)
    await cp(origin, copy, { recursive: true })
    return copy
  }
  try {
    const whole = await copyOf('whole')
    const first = await run(kills.program, whole)
    expect(first).toStrictEqual({
      stdout: expect.stringMatching(new RegExp(`^\\d+ ${answer}$`)),
      stderr: '',
    })
    expect(await census(whole)).toStrictEqual(expected)
    const points = Number.parseInt(first.stdout, 10)
    expect(points).toBeGreaterThanOrEqual(kills.pointsMin)

    const tries = [...kills.deaths(points)]
    const failures: unknown[] = []
    const workers = Array.from({ length: AT_ONCE }, async () => {
      for (let deaths = tries.pop(); deaths !== undefined; deaths = tries.pop()) {
        const directory = await copyOf(deaths.join('-'))
        for (const dieAt of deaths) await run(kills.program, directory, dieAt)
        const last = await run(kills.program, directory)
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

async function run(program: string, directory: string, dieAt = 0) {
  const script = join(import.meta.dir, '../peers', program)
  const child = Bun.spawn([process.execPath, script, directory, String(dieAt)], {
    env: { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent' },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()])
  await child.exited
  return { stdout: stdout.trim(), stderr }
}
