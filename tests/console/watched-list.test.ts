import { describe, expect, test } from 'bun:test'
import { collectList } from '#src/console/api/live/list.ts'

const item = (name: string) => ({ uid: `uid-${name}`, name })
const problem = { status: 503, code: 'cluster_unreachable', title: 'The cluster is away' } as const

const part = (first: boolean, last: boolean, ...names: readonly string[]) =>
  ({ type: 'snapshot', value: { first, last, items: names.map(item) } }) as const

const namesOf = (list: ReturnType<typeof collectList>) =>
  list.current().value?.map(({ name }) => name)

describe('a watched list', () => {
  test('is unknown until the last part of the first snapshot', () => {
    const list = collectList()
    list.apply(part(true, false, 'b'))
    expect(namesOf(list)).toBeUndefined()
    list.apply(part(false, true, 'a'))
    expect(namesOf(list)).toStrictEqual(['a', 'b'])
  })

  test('keeps the old items while a new snapshot comes in parts', () => {
    const list = collectList()
    list.apply(part(true, true, 'a', 'b'))
    list.apply(part(true, false, 'c'))
    expect(namesOf(list)).toStrictEqual(['a', 'b'])
    list.apply(part(false, true))
    expect(namesOf(list)).toStrictEqual(['c'])
  })

  test('follows what is set and removed', () => {
    const list = collectList()
    list.apply(part(true, true, 'a'))
    list.apply({ type: 'set', value: item('b') })
    list.apply({ type: 'removed', value: item('a') })
    expect(namesOf(list)).toStrictEqual(['b'])
  })

  test('a failure keeps the items, and the next snapshot ends it', () => {
    const list = collectList()
    list.apply(part(true, true, 'a'))
    list.apply({ type: 'failed', value: problem })
    expect(list.current()).toStrictEqual({ value: [item('a')], problem })
    list.apply(part(true, true, 'a'))
    expect(list.current().problem).toBeUndefined()
  })

  test('a refusal takes the items away, and is told to tabs that come later', () => {
    const list = collectList()
    list.apply(part(true, true, 'a'))
    list.apply({ type: 'refused', value: problem })
    expect(list.current()).toStrictEqual({ value: undefined, problem })
    expect(list.asEvents()).toStrictEqual([{ type: 'refused', value: problem }])
  })
})
