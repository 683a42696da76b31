import { expect, test } from 'bun:test'
import { reportOf } from '#src/compose/connections/report.ts'
import {
  type CheckedConnections,
  checkSubjects,
  type ConnectionSubject,
  createConnections,
} from '#src/lib/domain/connections.ts'
import { fails, works } from '#src/lib/ports/connection-finding.ts'
import { until } from '#tests/support/until.ts'

test('every finding is a line, and the summary counts what fails', () => {
  const subjects = [
    { name: 'git_host', findings: [works('It answers.'), fails('Nothing can be written.')] },
    { name: 'git', findings: [works('The program is there.')] },
  ] as const
  expect(reportOf(subjects)).toStrictEqual({
    ok: false,
    text: [
      'ok    git host  It answers.',
      'FAIL  git host  Nothing can be written.',
      'ok    git       The program is there.',
      '',
      '1 of 3 checks failed.',
    ].join('\n'),
  })
})

test('without a failure all is well', () => {
  const { ok, text } = reportOf([{ name: 'git', findings: [works('There.')] }])
  expect(ok).toBe(true)
  expect(text).toEndWith('\n\nAll checks passed.')
})

test('subjects are tried at once, and one that hangs holds up none of the others', async () => {
  const begun: string[] = []
  const all = Promise.withResolvers<void>()
  const subject = (name: ConnectionSubject['name']) => ({
    name,
    check: async () => {
      begun.push(name)
      if (begun.length === 2) all.resolve()
      await all.promise
      return [works('There.')]
    },
  })
  const hanging = { name: 'git_host', check: () => new Promise<never>(() => {}) } as const
  expect(await checkSubjects([subject('git'), hanging, subject('clusters')], 1000)).toStrictEqual([
    { name: 'git', findings: [works('There.')] },
    { name: 'git_host', findings: [fails('No answer within 1 s.')] },
    { name: 'clusters', findings: [works('There.')] },
  ])
})

/** A check that waits to be let go, on a clock that moves by hand. */
function opened() {
  const rounds: PromiseWithResolvers<void>[] = []
  const time = { elapsed: 0 }
  const connections = createConnections(
    [
      {
        name: 'git_host',
        check: async () => {
          const round = Promise.withResolvers<void>()
          rounds.push(round)
          await round.promise
          return [works(`Round ${rounds.length}.`)]
        },
      },
    ],
    {
      clock: { now: () => 5_000 + time.elapsed, elapsed: () => time.elapsed },
      onBug() {},
    },
  )
  const told = (text: string, checkedAt: number): CheckedConnections => ({
    checkedAt,
    subjects: [{ name: 'git_host', findings: [works(text)] }],
  })
  return { connections, rounds, time, told }
}

test('everybody who asks meanwhile gets the same round, and later ones its outcome while it is young', async () => {
  const { connections, rounds, time, told } = opened()
  const asked = [connections.read(30), connections.read(30)]
  await until(() => rounds.length === 1)
  expect(connections.last(30)).toBeUndefined()
  rounds[0]?.resolve()
  expect(await Promise.all(asked)).toStrictEqual([told('Round 1.', 5_000), told('Round 1.', 5_000)])
  time.elapsed = 30
  expect(await connections.read(30)).toStrictEqual(told('Round 1.', 5_000))
  expect(rounds).toHaveLength(1)
})

test('a scrape gets the last outcome at once, and an old one begins the next round', async () => {
  const { connections, rounds, time, told } = opened()
  expect(connections.last(30)).toBeUndefined()
  await until(() => rounds.length === 1)
  rounds[0]?.resolve()
  await until(() => connections.last(30) !== undefined)
  time.elapsed = 31
  expect(connections.last(30)).toStrictEqual(told('Round 1.', 5_000))
  expect(connections.last(30)).toStrictEqual(told('Round 1.', 5_000))
  await until(() => rounds.length === 2)
  rounds[1]?.resolve()
  expect(await connections.read(30)).toStrictEqual(told('Round 2.', 5_031))
})

test('a bug in a check is its finding, without the message, and is logged', async () => {
  const bug = new Error('postgres://portico:secret@db')
  const logged: unknown[] = []
  const connections = createConnections([{ name: 'database', check: () => Promise.reject(bug) }], {
    clock: { now: () => 0, elapsed: () => 0 },
    onBug: (...told) => logged.push(told),
  })
  const { subjects } = await connections.read(0)
  expect(subjects).toStrictEqual([
    { name: 'database', findings: [fails('The check itself failed: its log line has the cause.')] },
  ])
  expect(logged).toStrictEqual([['database', bug]])
})
