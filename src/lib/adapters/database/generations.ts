import { onNobodysBehalf } from '../../concurrency/on-behalf-of.ts'
import { createQueue } from '../../concurrency/queue.ts'
import type { DatabaseFailure } from '../../ports/database/failure.ts'
import type { Generations } from '../../ports/database/generations.ts'
import { ok, type Result } from '../../result.ts'
import type { Engine } from './engine.ts'

const POLL_EVERY_MS = 400

interface Columns {
  readonly name: string
  readonly value: number | string
}

interface OpenGenerations {
  readonly generations: Generations
  /** Ends every following. */
  readonly close: () => void
}

/** Reads the counters once: changes are told from here on. */
export async function openGenerations(
  engine: Engine,
): Promise<Result<OpenGenerations, DatabaseFailure>> {
  const first = await readCounters(engine)
  return first.ok ? ok(createGenerations(engine, first.value)) : first
}

const readCounters = async (
  engine: Engine,
): Promise<Result<Map<string, number>, DatabaseFailure>> => {
  const found = await engine.run((sql) => sql<Columns[]>`SELECT name, value FROM generation`)
  if (!found.ok) return found
  return ok(new Map(found.value.map(({ name, value }) => [name, Number(value)])))
}

function createGenerations(engine: Engine, known: Map<string, number>): OpenGenerations {
  const followers = new Set<{ readonly name: string; readonly onChange: () => void }>()
  /** A reading between an advance and its answer would take it for another process's. */
  const inTurn = createQueue()
  const countersInTurn = <Value>(work: () => Promise<Value>): Promise<Value> =>
    onNobodysBehalf(() => inTurn('counters', work))
  let isPollWaiting = false
  let timer: Timer | undefined
  let stopReceiving: (() => void) | undefined

  function tell(changed: string): void {
    for (const { name, onChange } of followers) if (name === changed) onChange()
  }

  async function poll(): Promise<void> {
    if (isPollWaiting) return
    isPollWaiting = true
    await countersInTurn(async () => {
      isPollWaiting = false
      const found = await readCounters(engine)
      if (!found.ok) return
      for (const [name, value] of found.value) {
        if (value === known.get(name)) continue
        known.set(name, value)
        tell(name)
      }
    })
    schedule()
  }

  function schedule(): void {
    clearTimeout(timer)
    if (followers.size === 0) return
    timer = setTimeout(() => void poll(), POLL_EVERY_MS)
    timer.unref()
  }

  function start(): void {
    stopReceiving ??= engine.notices.receive(() => void poll())
    schedule()
  }

  function stop(): void {
    stopReceiving?.()
    stopReceiving = undefined
    clearTimeout(timer)
  }

  const generations: Generations = {
    advance: (name) =>
      countersInTurn(async () => {
        const advanced = await engine.run(
          (sql) => sql<{ value: number | string }[]>`
          INSERT INTO generation (name, value) VALUES (${name}, 1)
          ON CONFLICT (name) DO UPDATE SET value = generation.value + 1 RETURNING value`,
        )
        if (!advanced.ok) return advanced
        const before = known.get(name) ?? 0
        const value = Number(advanced.value[0]?.value)
        known.set(name, value)
        if (value !== before + 1) tell(name)
        void engine.notices.send(name)
        return ok(undefined)
      }),

    follow(name, onChange) {
      const follower = { name, onChange }
      followers.add(follower)
      if (followers.size === 1) start()
      return () => {
        if (followers.delete(follower) && followers.size === 0) stop()
      }
    },
  }

  return {
    generations,
    close: () => {
      followers.clear()
      stop()
    },
  }
}
