import { expect, test } from 'bun:test'
import { createOutages } from '#src/lib/logging/outages.ts'

function open() {
  const clock = { time: 1_000_000, now: () => clock.time }
  const lines: string[] = []
  const line = (level: string) => (facts: unknown, text: unknown) =>
    void lines.push(`${level} ${String(text)} ${JSON.stringify(facts)}`)
  const log = { info: line('info'), warn: line('warn'), error: line('error') }
  const outages = createOutages({ clock, log: log as Parameters<typeof createOutages>[0]['log'] })
  const fail = (code = '502') => outages.failed('the host', code, { code }, 'no host')
  const work = () => outages.worked('the host')
  /** The lines since the last call. */
  const told = () => lines.splice(0)
  return { clock, outages, fail, work, told }
}

test('an outage of any length has a line at its beginning, one for a new cause, and one at its end', () => {
  const { clock, fail, work, told } = open()
  work()
  expect(told()).toStrictEqual([])
  for (let call = 0; call < 2770; call++) {
    fail(call % 2 === 0 ? '502' : '503')
    clock.time += 500
  }
  expect(told()).toStrictEqual(['warn no host {"code":"502"}', 'warn no host {"code":"503"}'])
  work()
  work()
  expect(told()).toStrictEqual(['info the host works again {"lastedMs":1385000,"failures":2770}'])
  fail()
  expect(told()).toStrictEqual(['warn no host {"code":"502"}'])
})

test('a system that fails and works in turns has two lines a minute', () => {
  const { clock, fail, work, told } = open()
  for (let second = 0; second < 120; second++) {
    fail()
    work()
    clock.time += 1_000
  }
  expect(told()).toHaveLength(4)
})

test('an outage that follows another at once is told while it lasts, and its end too', () => {
  const { clock, fail, work, told } = open()
  fail()
  work()
  told()
  clock.time += 10_000
  fail()
  expect(told()).toStrictEqual([])
  clock.time += 50_000
  fail()
  work()
  expect(told()).toStrictEqual([
    'warn no host {"code":"502"}',
    'info the host works again {"lastedMs":50000,"failures":2}',
  ])
})

test('a clock that was set back silences nothing', () => {
  const { clock, fail, told } = open()
  fail()
  clock.time = 0
  fail()
  expect(told()).toHaveLength(2)
})

test('systems are apart', () => {
  const { outages, fail, work, told } = open()
  fail()
  outages.failed('another', '502', {}, 'not there', 'error')
  work()
  expect(told()).toStrictEqual([
    'warn no host {"code":"502"}',
    'error not there {}',
    'info the host works again {"lastedMs":0,"failures":1}',
  ])
})

test('a refusal begins no outage: it is told once a minute', () => {
  const { clock, outages, work, told } = open()
  for (let second = 0; second < 61; second++) {
    outages.refused('the host', 'no right', { what: 'x' }, 'refused')
    work()
    clock.time += 1_000
  }
  expect(told()).toStrictEqual(['warn refused {"what":"x"}', 'warn refused {"what":"x"}'])
})
