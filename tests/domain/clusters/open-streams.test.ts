import { expect, test } from 'bun:test'
import type { Asking } from '#src/lib/domain/clusters/access.ts'
import { createOpenStreams, type OpenStream } from '#src/lib/domain/clusters/open-streams.ts'
import { Label } from '#src/lib/names.ts'
import { askingOf, person, sessionOf } from './asking.ts'

const LOOK_MS = 10
const by = (subject: string, cluster = 'dev-east') =>
  askingOf({
    session: sessionOf({ principal: person(subject), idHash: subject }),
    cluster: Label.of(cluster),
  })

function world(limits: { readonly perPerson: number; readonly all: number }) {
  const looks: string[] = []
  const open: OpenStream[] = []
  const withdrawn = new Set<string>()
  const rightOf = ({ session, cluster }: Asking) => `${session.idHash} ${cluster}`
  const streams = createOpenStreams({
    ...limits,
    lookEveryMs: LOOK_MS,
    mayGoOn: async (asking) => {
      looks.push(rightOf(asking))
      return !withdrawn.has(rightOf(asking))
    },
  })
  const begin = (asked: Asking) => {
    const begun = streams.begin(asked)
    if (!begun.ok) throw new Error(begun.error.kind)
    open.push(begun.value)
    return begun.value
  }
  return {
    streams,
    begin,
    looks,
    withdrawn,
    [Symbol.dispose]() {
      for (const { end } of open) end()
    },
  }
}

test('each person has places of their own, each of which is given back once', () => {
  using at = world({ perPerson: 2, all: 10 })
  const { streams, begin } = at
  const first = begin(by('a'))
  begin(by('a', 'prod-west'))
  expect(streams.begin(by('a'))).toStrictEqual({
    ok: false,
    error: { kind: 'too_many_streams' },
  })
  begin(by('b'))
  first.end()
  first.end()
  begin(by('a'))
  expect(streams.begin(by('a')).ok).toBe(false)
})

test('all places together are limited too', () => {
  using at = world({ perPerson: 2, all: 3 })
  const { streams, begin } = at
  const [first] = ['a', 'b', 'c'].map((subject) => begin(by(subject)))
  expect(streams.begin(by('d')).ok).toBe(false)
  first?.end()
  begin(by('d'))
})

test('streams end when their right is withdrawn, and no others', async () => {
  using at = world({ perPerson: 5, all: 10 })
  const { begin, withdrawn } = at
  const open = [by('a'), by('a'), by('a', 'prod-west'), by('b')].map(begin)
  const ended = () => open.map(({ asking }) => asking.signal.aborted)
  await Bun.sleep(5 * LOOK_MS)
  expect(ended()).toStrictEqual([false, false, false, false])
  withdrawn.add('a dev-east')
  await Bun.sleep(5 * LOOK_MS)
  expect(ended()).toStrictEqual([true, true, false, false])
})

test('a right is looked at once for all streams that it opened, and no more when they have ended', async () => {
  using at = world({ perPerson: 5, all: 10 })
  const { begin, looks } = at
  const open = [by('a'), by('a'), by('b')].map(begin)
  await Bun.sleep(1.8 * LOOK_MS)
  expect(looks).toStrictEqual(['a dev-east', 'b dev-east'])
  for (const { end } of open) end()
  await Bun.sleep(5 * LOOK_MS)
  expect(looks).toHaveLength(2)
  begin(by('a'))
  await Bun.sleep(5 * LOOK_MS)
  expect(looks.length).toBeGreaterThan(2)
})

test('what was asked ends with its request too', () => {
  using at = world({ perPerson: 5, all: 10 })
  const { begin } = at
  const leave = new AbortController()
  const { asking } = begin({ ...by('a'), signal: leave.signal })
  leave.abort()
  expect(asking.signal.aborted).toBe(true)
})
