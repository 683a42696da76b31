import { describe, expect, jest, test } from 'bun:test'
import { createTimeline } from '#src/demo/clusters/timeline.ts'

describe('a timeline', () => {
  const open = (onBug: (error: unknown) => void = () => {}) => {
    const timeline = createTimeline(1_000, onBug)
    const done: string[] = []
    const plan = (ms: number, name: string) =>
      timeline.after(ms, () => done.push(`${name}@${timeline.now()}`))
    return { timeline, done, plan }
  }

  test('lives through everything in its order, each in its moment', () => {
    const { timeline, done, plan } = open()
    plan(30, 'c')
    plan(10, 'a')
    plan(10, 'b')
    timeline.after(20, () => plan(5, 'later'))
    const forget = plan(15, 'forgotten')
    forget()
    timeline.advanceTo(1_029)
    expect(done).toStrictEqual(['a@1010', 'b@1010', 'later@1025'])
    expect(timeline.now()).toBe(1_029)
    timeline.advanceTo(1_030)
    expect(done.at(-1)).toBe('c@1030')
  })

  test('reports a bug and goes on', () => {
    const bugs: unknown[] = []
    const { timeline, done, plan } = open((error) => bugs.push(error))
    timeline.after(1, () => {
      throw new Error('bug')
    })
    plan(2, 'after')
    timeline.advanceTo(2_000)
    expect({ done, bugs }).toStrictEqual({ done: ['after@1002'], bugs: [new Error('bug')] })
  })

  test('that is closed does nothing more', () => {
    const { timeline, done, plan } = open()
    plan(1, 'planned')
    timeline.follow({ now: () => Date.now() })
    plan(1, 'planned')
    timeline.close()
    plan(1, 'planned')
    timeline.advanceTo(Number.MAX_SAFE_INTEGER)
    expect(done).toStrictEqual([])
  })

  test('follows a clock, and sees to what is sooner first', () => {
    const { timeline, done } = open()
    jest.useFakeTimers()
    try {
      timeline.follow({ now: () => Date.now() })
      timeline.after(60_000, () => done.push('late'))
      timeline.after(20, () => done.push('soon'))
      jest.advanceTimersByTime(19)
      expect(done).toStrictEqual([])
      jest.advanceTimersByTime(1)
      expect(done).toStrictEqual(['soon'])
      timeline.close()
    } finally {
      jest.useRealTimers()
    }
  })

  test('keeps no process alive', async () => {
    const program = `
      const { createTimeline } = await import(${JSON.stringify(import.meta.resolve('#src/demo/clusters/timeline.ts'))})
      const timeline = createTimeline(0, () => {})
      timeline.follow({ now: () => Date.now() })
      timeline.after(600_000, () => {})
    `
    const child = Bun.spawn([process.execPath, '-e', program], { stderr: 'pipe', timeout: 60_000 })
    expect([await child.exited, await new Response(child.stderr).text()]).toStrictEqual([0, ''])
  })
})
