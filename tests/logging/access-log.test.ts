import { expect, test } from 'bun:test'
import { createAccessLog } from '#src/lib/logging/access-log.ts'

test('an entry is one line of JSON with its fields alone', () => {
  const lines: string[] = []
  const log = createAccessLog({ write: (line) => void lines.push(line) })
  const entry = {
    requestId: 'id',
    method: 'GET',
    path: '/a"\n',
    status: 200,
    address: '2001:db8::7',
    subject: null,
  }
  log.record({ ...entry, ms: 1.239 })
  const [line = '', ...more] = lines
  expect(more).toStrictEqual([])
  expect(line.indexOf('\n')).toBe(line.length - 1)
  const { time, ...fields } = JSON.parse(line) as Record<string, unknown>
  expect(fields).toStrictEqual({ level: 30, ...entry, ms: 1.24 })
  expect(time).toBeNumber()
})
