import { expect, test } from 'bun:test'
import { mergeLogs } from '#src/lib/domain/promotion/history/merge-logs.ts'
import { ObjectId } from '#src/lib/names.ts'

const id = (name: string) => ObjectId.of(Buffer.from(name).toString('hex').padEnd(40, '0'))

/** `b<a@5`: the commit b with the parent a, of time 5. */
const commit = (text: string) => {
  const [, name = '', parent, time] = /^(\w+)(?:<(\w+))?(?:@(\d+))?$/.exec(text) ?? []
  return {
    id: id(name),
    message: name,
    parents: parent === undefined ? [] : [id(parent)],
    authorName: null,
    committedAt: time === undefined ? null : Number(time),
  }
}

// prettier-ignore
test.each<[string, readonly string[], string]>([
  ['nothing', [], ''],
  ['one path', ['c b a'], 'c b a'],
  ['by time', ['d@4 a@1', 'c@3 b@2'], 'd c b a'],
  ['the order of the host before the time', ['a@1 d@4', 'b@2'], 'b a d'],
  ['a renamed folder, all in one second', ['f<e@1 b<a@1 a@1', 'e<d@1 d<c@1 c<b@1 b<a@1'], 'f e d c b a'],
  ['the other way round', ['e<d@1 d<c@1 c<b@1 b<a@1', 'f<e@1 b<a@1 a@1'], 'f e d c b a'],
  ['a parent after its child, whatever their clocks say', ['a@9', 'b<a@1'], 'b a'],
  ['a commit without a time', ['b', 'a@1'], 'a b'],
  ['two orders that contradict each other', ['b@2 a@1', 'a@1 b@2'], 'b a'],
])('commits of several paths: %s', (_, logs, expected) => {
  const merged = mergeLogs(logs.map((log) => log.split(' ').map(commit)))
  expect(merged.map(({ message }) => message).join(' ')).toBe(expected)
})
