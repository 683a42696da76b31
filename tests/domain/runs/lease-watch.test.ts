import { describe, expect, test } from 'bun:test'
import { createLeaseWatch } from '#src/lib/domain/runs/lease-watch.ts'
import { RunId } from '#src/lib/names.ts'
import type { SeenRun } from '#src/lib/ports/database/run-leases.ts'

const LEASE_MS = 15_000
const HOUR_MS = 3_600_000
const NOON = Date.UTC(2026, 10, 21, 12)
const id = RunId.of(Bun.randomUUIDv7())

const unheld: SeenRun = { id, person: 'ann', holder: null, until: 0, pausedAt: null }
const held = (until: number): SeenRun => ({ id, person: 'ann', holder: 'a', until, pausedAt: null })
const paused = (ms: number, pausedAt = NOON): SeenRun => ({
  id,
  person: 'ann',
  holder: null,
  until: pausedAt + ms,
  pausedAt,
})

const showing = (elapsed: number, now = NOON) => ({ now: () => now, elapsed: () => elapsed })

/** What was seen when: the run, time that passed, and what the wall clock shows. */
type Look = readonly [run: SeenRun, elapsed: number, now: number]

describe('a run is free', () => {
  test.each<readonly [name: string, looks: readonly Look[], isFree: boolean]>([
    ['that nobody holds', [[unheld, 0, NOON]], true],
    ['not at first sight of a lease, however old', [[held(NOON - HOUR_MS), 0, NOON]], false],
    [
      'not before the lease is over',
      [
        [held(NOON), 0, NOON],
        [held(NOON), LEASE_MS - 1, NOON + HOUR_MS],
      ],
      false,
    ],
    [
      'whose lease nobody renewed, wherever the clock was set',
      [
        [held(NOON), 0, NOON],
        [held(NOON), LEASE_MS, NOON - 2 * HOUR_MS],
      ],
      true,
    ],
    [
      'not when its lease was renewed meanwhile',
      [
        [held(NOON), 0, NOON],
        [held(NOON + 5_000), LEASE_MS, NOON],
      ],
      false,
    ],
    [
      'not when its lease came back after another',
      [
        [held(NOON), 0, NOON],
        [held(NOON + 1), 1, NOON],
        [held(NOON), LEASE_MS, NOON],
      ],
      false,
    ],
    [
      'not while it pauses',
      [
        [paused(8_000), 0, NOON + 1_000],
        [paused(8_000), 6_999, NOON + HOUR_MS],
      ],
      false,
    ],
    [
      'after its pause, though the clock was set back after it was seen',
      [
        [paused(8_000), 0, NOON + 1_000],
        [paused(8_000), 7_000, NOON - HOUR_MS],
      ],
      true,
    ],
    [
      'after its pause, though the clock was set back before it was seen',
      [
        [paused(8_000), 0, NOON - HOUR_MS],
        [paused(8_000), 8_000, NOON - HOUR_MS],
      ],
      true,
    ],
    ['whose pause is over', [[paused(8_000), 0, NOON + 8_000]], true],
  ])('%s', (_, looks, isFree) => {
    const watch = createLeaseWatch(LEASE_MS)
    const free = looks.map(([run, elapsed, now]) => watch.free([run], showing(elapsed, now)).length)
    expect(free.at(-1)).toBe(isFree ? 1 : 0)
  })

  test('a lease later after a time in which no renewal could be seen', () => {
    const watch = createLeaseWatch(LEASE_MS)
    watch.free([held(NOON)], showing(0))
    watch.reset()
    expect(watch.free([held(NOON)], showing(LEASE_MS))).toStrictEqual([])
    expect(watch.free([held(NOON)], showing(2 * LEASE_MS))).toHaveLength(1)
  })
})
