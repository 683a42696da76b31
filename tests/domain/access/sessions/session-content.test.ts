import { expect, test } from 'bun:test'
import { decodeContent, encodeContent } from '#src/lib/domain/access/sessions/session.ts'
import { person } from '#tests/domain/clusters/cluster-request.ts'

test('a session of an earlier version, which does not say why groups are unknown, is read', () => {
  const content = { principal: person('ada'), tokens: null, renewingUntil: null }
  const stored = new TextDecoder().decode(encodeContent(content))
  const earlier = stored.replace('"kind":"unknown","reason":"missing"', '"kind":"unknown"')
  expect(earlier).not.toBe(stored)
  expect(decodeContent(new TextEncoder().encode(earlier))).toMatchObject({
    principal: { groups: { kind: 'unknown', reason: 'unreadable' } },
  })
  expect(decodeContent(encodeContent(content))).toStrictEqual(content)
})
