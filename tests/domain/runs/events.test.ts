import { describe, expect, test } from 'bun:test'
import { createRunEvents } from '#src/lib/domain/runs/events.ts'
import { RunId } from '#src/lib/names.ts'
import type { RunEventRow, RunRow, RunStatus } from '#src/lib/ports/database/runs.ts'
import { err, ok } from '#src/lib/result.ts'

const ID = RunId.of('01936b2e-7b1a-7c55-8d0e-5a3f0f6f2a11')
const never = new AbortController().signal

const onBug = (_: RunId, bug: unknown) => {
  throw bug
}

/** A journal in memory, with its looks counted. */
function createJournal() {
  const journal = {
    status: 'running' as RunStatus,
    rows: [] as RunEventRow[],
    looks: 0,
    isBroken: false,
    write(...events: readonly string[]) {
      for (const event of events) {
        journal.rows.push({ seq: journal.rows.length + 1, event, data: '{}', at: 0 })
      }
    },
    find: async () => ok({ id: ID, status: journal.status } as RunRow),
    events: async (_: RunId, after: number) => {
      journal.looks += 1
      if (journal.isBroken) return err({ kind: 'database_unavailable', reason: 'gone' })
      return ok(journal.rows.filter(({ seq }) => seq > after))
    },
  }
  return journal
}

const namesOf = async (events: AsyncIterable<{ readonly event: string }>) =>
  (await Array.fromAsync(events)).map(({ event }) => event)

describe('following a run', () => {
  test('gives what was and what comes, to the end', async () => {
    const journal = createJournal()
    const { follow, wakeFollowers } = createRunEvents({ store: journal, onBug })
    journal.write('step')
    const all = namesOf(follow(ID, 0, never))
    await Bun.sleep(5)
    journal.write('step', 'done')
    journal.status = 'complete'
    wakeFollowers(ID)
    expect(await all).toStrictEqual(['step', 'step', 'done'])
    expect(await namesOf(follow(ID, 2, never))).toStrictEqual(['done'])
  })

  test('hears of what another replica wrote, without being told', async () => {
    const journal = createJournal()
    const { follow } = createRunEvents({ store: journal, onBug })
    const all = namesOf(follow(ID, 0, never))
    await Bun.sleep(5)
    journal.write('done')
    journal.status = 'complete'
    expect(await all).toStrictEqual(['done'])
  })

  test('the end of a try that was followed by another is no end', async () => {
    const journal = createJournal()
    const { follow, wakeFollowers } = createRunEvents({ store: journal, onBug })
    journal.write('step', 'failed')
    const running = namesOf(follow(ID, 0, never))
    await Bun.sleep(5)
    journal.write('step', 'failed')
    journal.status = 'failed'
    wakeFollowers(ID)
    expect(await running).toStrictEqual(['step', 'step', 'failed'])
    expect(await namesOf(follow(ID, 4, never))).toStrictEqual([])
    expect(await namesOf(follow(ID, 3, never))).toStrictEqual(['failed'])
  })

  test('a failure that is written between two looks is told once the run has ended', async () => {
    const journal = createJournal()
    const { follow, wakeFollowers } = createRunEvents({ store: journal, onBug })
    const all = namesOf(follow(ID, 0, never))
    await Bun.sleep(5)
    journal.write('failed')
    wakeFollowers(ID)
    await Bun.sleep(5)
    journal.status = 'failed'
    wakeFollowers(ID)
    expect(await all).toStrictEqual(['failed'])
  })

  test('a slow reader holds up nobody', async () => {
    const journal = createJournal()
    const { follow, wakeFollowers } = createRunEvents({ store: journal, onBug })
    journal.write('step')
    const slow = follow(ID, 0, never)
    await slow.next()
    const quick = namesOf(follow(ID, 0, never))
    await Bun.sleep(5)
    journal.write('done')
    journal.status = 'complete'
    wakeFollowers(ID)
    expect(await quick).toStrictEqual(['step', 'done'])
    expect(await namesOf(slow)).toStrictEqual(['done'])
  })

  test('a hundred who follow a run are one reader of its journal', async () => {
    const journal = createJournal()
    const { follow, wakeFollowers } = createRunEvents({ store: journal, onBug })
    journal.write('step')
    const all = Array.from({ length: 100 }, () => namesOf(follow(ID, 0, never)))
    await Bun.sleep(5)
    journal.write('done')
    journal.status = 'complete'
    wakeFollowers(ID)
    const told = new Set((await Promise.all(all)).map((names) => names.join(' ')))
    expect([...told]).toStrictEqual(['step done'])
    expect(journal.looks).toBe(2)
  })

  test('ends with its signal, and leaves nothing that looks', async () => {
    const journal = createJournal()
    const { follow } = createRunEvents({ store: journal, onBug })
    const leave = new AbortController()
    const all = namesOf(follow(ID, 0, leave.signal))
    await Bun.sleep(5)
    leave.abort()
    expect(await all).toStrictEqual([])
    const { looks } = journal
    await Bun.sleep(1_100)
    expect(journal.looks).toBe(looks)
  })

  test('goes on after an outage of the database, from where it was', async () => {
    const journal = createJournal()
    const { follow, wakeFollowers } = createRunEvents({ store: journal, onBug })
    journal.write('step')
    const events = follow(ID, 0, never)
    expect((await events.next()).value?.event).toBe('step')
    journal.isBroken = true
    const rest = namesOf(events)
    await Bun.sleep(5)
    journal.write('done')
    journal.status = 'complete'
    wakeFollowers(ID)
    await Bun.sleep(5)
    journal.isBroken = false
    wakeFollowers(ID)
    expect(await rest).toStrictEqual(['done'])
  })

  test('asks a broken database at its pace, until its signal', async () => {
    const journal = createJournal()
    const { follow } = createRunEvents({ store: journal, onBug })
    journal.isBroken = true
    const leave = new AbortController()
    const all = namesOf(follow(ID, 0, leave.signal))
    await Bun.sleep(100)
    expect(journal.looks).toBe(1)
    leave.abort()
    expect(await all).toStrictEqual([])
  })
})
