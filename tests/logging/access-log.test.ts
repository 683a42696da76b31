import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { type AccessEntry, createAccessLog } from '#src/lib/logging/access-log.ts'

const entry: AccessEntry = {
  requestId: 'id',
  method: 'GET',
  path: '/a',
  status: 200,
  ms: 1.239,
  subject: null,
}

test('a line is the JSON of the entry', () => {
  const lines: string[] = []
  const log = createAccessLog((text) => lines.push(text))
  log.record(entry)
  log.flush()
  const { time, ...line } = JSON.parse(lines.join('')) as Record<string, unknown>
  expect(line).toStrictEqual({ level: 30, ...entry, ms: 1.24 })
  expect(time).toBeNumber()
})

test('whatever the path and the subject hold, an entry is one line of JSON', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (path, subject) => {
      const lines: string[] = []
      const log = createAccessLog((text) => lines.push(text))
      log.record({ ...entry, path, subject })
      log.flush()
      const text = lines.join('')
      expect(text.indexOf('\n')).toBe(text.length - 1)
      expect(JSON.parse(text)).toMatchObject({ path, subject })
    }),
    { numRuns: 2_000 },
  )
})

test('lines are written together, none is lost and none twice', async () => {
  const written: string[] = []
  const waiting = Promise.withResolvers<void>()
  const log = createAccessLog((text) => {
    written.push(text)
    if (written.join('').split('\n').length > 1_000) waiting.resolve()
  })
  for (let index = 0; index < 1_000; index++) log.record({ ...entry, requestId: `r${index}` })
  await waiting.promise
  log.flush()
  const ids = written
    .join('')
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as AccessEntry).requestId)
  expect(ids).toStrictEqual(Array.from({ length: 1_000 }, (_, index) => `r${index}`))
  expect(written.length).toBeLessThan(10)
})
