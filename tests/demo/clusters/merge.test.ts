import { describe, expect, test } from 'bun:test'
import { mergePatch, strategicMerge } from '#src/demo/clusters/api/merge.ts'

describe('a merge patch', () => {
  // RFC 7386, appendix A.
  // prettier-ignore
  test.each<[unknown, unknown, unknown]>([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [['a', 'b'], ['c', 'd'], ['c', 'd']],
    [{ a: 'b' }, ['c'], ['c']],
    [{ a: 'foo' }, null, null],
    [{ a: 'foo' }, 'bar', 'bar'],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('%j with %j is %j', (target, patch, expected) => {
    const before = structuredClone(target)
    expect(mergePatch(target, patch)).toStrictEqual(expected)
    expect(target).toStrictEqual(before)
  })

  test('cannot reach the prototype', () => {
    const merged = mergePatch({}, JSON.parse('{"__proto__":{"polluted":true}}'))
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype)
    expect({}).not.toHaveProperty('polluted')
  })
})

describe('a strategic merge patch', () => {
  const two = {
    containers: [
      { name: 'a', image: 'a:1', env: [{ name: 'X', value: '1' }] },
      { name: 'b', image: 'b:1' },
    ],
  }

  // prettier-ignore
  test.each<[string, unknown, unknown, unknown]>([
    ['merges containers by name', two, { containers: [{ name: 'b', image: 'b:2' }] },
      { containers: [two.containers[0], { name: 'b', image: 'b:2' }] }],
    ['adds what it does not find', two, { containers: [{ name: 'c', image: 'c:1' }] },
      { containers: [...two.containers, { name: 'c', image: 'c:1' }] }],
    ['merges lists in lists', two, { containers: [{ name: 'a', env: [{ name: 'Y', value: '2' }] }] },
      { containers: [{ name: 'a', image: 'a:1', env: [{ name: 'X', value: '1' }, { name: 'Y', value: '2' }] }, two.containers[1]] }],
    ['removes an item', two, { containers: [{ name: 'a', $patch: 'delete' }] }, { containers: [two.containers[1]] }],
    ['replaces a list', two, { containers: [{ $patch: 'replace' }, { name: 'c' }] }, { containers: [{ name: 'c' }] }],
    ['ignores directives that make no sense', { args: ['a'], containers: 1 },
      { '$setElementOrder/args': ['b'], '$setElementOrder/containers': [{ name: 'a' }], '$setElementOrder/env': 'x', '$setElementOrder/constructor': [], $unknown: 1 },
      { args: ['a'], containers: 1 }],
    ['orders a list', two, { $setElementOrder: 1, '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }] },
      { containers: [two.containers[1], two.containers[0]] }],
    ['replaces lists of plain values', { args: ['a', 'b'] }, { args: ['c'] }, { args: ['c'] }],
    ['removes a member', { a: 1, b: 2 }, { a: null }, { b: 2 }],
    ['removes an object', { a: { b: 1 }, c: 1 }, { a: { $patch: 'delete' } }, { c: 1 }],
    ['replaces an object', { a: { b: 1 } }, { a: { $patch: 'replace', c: 2 } }, { a: { c: 2 } }],
    ['keeps only what it names', { strategy: { type: 'RollingUpdate', rollingUpdate: {} } },
      { strategy: { $retainKeys: ['type'], type: 'Recreate' } }, { strategy: { type: 'Recreate' } }],
  ])('%s', (_, target, patch, expected) => {
    const before = structuredClone(target)
    expect(strategicMerge(target, patch)).toStrictEqual(expected)
    expect(target).toStrictEqual(before)
  })
})
