import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { dump } from 'js-yaml'
import { readYaml, type YamlDocument } from '#src/lib/yaml/read.ts'

const documentsOf = (source: string): readonly YamlDocument[] => {
  const reading = readYaml(source)
  if (!reading.ok) throw new Error(reading.error.message)
  return reading.value.documents
}
const valuesOf = (source: string): unknown[] => documentsOf(source).map(({ value }) => value)
const faultOf = (source: string) => {
  const reading = readYaml(source)
  if (reading.ok) throw new Error(`expected a fault in ${source}`)
  return reading.error
}

describe('values', () => {
  // prettier-ignore
  test.each<[string, string, unknown[]]>([
    ['nothing',                          '',                                  []],
    ['white space and comments',         ' \n# a\n\n',                        []],
    ['an empty document',                '---\n',                             [null]],
    ['two empty documents',              '---\n---\n',                        [null, null]],
    ['document ends alone',              '...\n...\n',                        []],
    ['several documents',                'a: 1\n---\nb: 2\n...\n---\n- 3\n',  [{ a: 1 }, { b: 2 }, [3]]],
    ['a document on the marker line',    '--- a\n--- {b: 1}\n',               ['a', { b: 1 }]],
    ['a byte order mark',                '\uFEFFa: 1\n',                      [{ a: 1 }]],
    ['marks before each document',       '\uFEFF---\na: 1\n\uFEFF---\nb: 1\n', [{ a: 1 }, { b: 1 }]],
    ['CRLF',                             'a: 1\r\nb: |\r\n  x\r\n  y\r\n',    [{ a: 1, b: 'x\ny\n' }]],
    ['CR',                               'a: 1\rb: 2\r',                      [{ a: 1, b: 2 }]],
    ['a tab between values',             'a:\t1\n',                           [{ a: 1 }]],
    ['words of YAML 1.1 are text',       '[yes, no, on, off, 1_000, 012, 1:30]', [['yes', 'no', 'on', 'off', '1_000', 12, '1:30']]],
    ['a time is text',                   'a: 2026-11-20T10:00:00Z',           [{ a: '2026-11-20T10:00:00Z' }]],
    ['core numbers',                     '[0x1F, 0o17, -1.5e3, +7, .inf]',    [[31, 15, -1500, 7, Infinity]]],
    ['a merge key is a key',             'a: &a {x: 1}\nb: {<<: *a}\n',       [{ a: { x: 1 }, b: { '<<': { x: 1 } } }]],
    ['another version is read alike',    '%YAML 1.1\n---\n[yes, 012]\n',      [['yes', 12]]],
    ['line separators are text',         'a: x\u2028y\u2029z\n',              [{ a: 'x\u2028y\u2029z' }]],
    ['emoji',                            'a: 🚀',                             [{ a: '🚀' }]],
    ['escapes',                          '"\\0\\x41\\u00e9\\U0001F680"',      ['\0Aé🚀']],
    ['keys of other types',              '{1: a, null: b, true: c, 1.5: d}',  [{ 1: 'a', null: 'b', true: 'c', '1.5': 'd' }]],
    ['anchors are of one document',      'a: &a 1\nb: *a\n---\nb: &a 2\nc: *a\n', [{ a: 1, b: 1 }, { b: 2, c: 2 }]],
    ['an anchor that is set again',      '[&a 1, *a, &a 2, *a]',              [[1, 1, 2, 2]]],
    ['folded text',                      'a: >-\n  x\n  y\n\n  z\n',          [{ a: 'x y\nz' }]],
    ['JSON',                             '{"a":[1,"\\u0062",null,true]}',     [{ a: [1, 'b', null, true] }]],
    ['a known tag',                      'a: !!str 1\n',                      [{ a: '1' }]],
  ])('%s', (_, source, values) => {
    expect(valuesOf(source)).toStrictEqual(values)
  })

  test('names of an object are keys like any other', () => {
    const [value] = valuesOf('__proto__: {polluted: 1}\nconstructor: 2\ntoString: 3\n')
    expect(Object.entries(value as object)).toStrictEqual([
      ['__proto__', { polluted: 1 }],
      ['constructor', 2],
      ['toString', 3],
    ])
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect('polluted' in {}).toBe(false)
  })

  test('an alias is the value itself, also inside of it', () => {
    const [value] = valuesOf('a: &a {self: *a}\nb: *a\n') as [{ a: { self: unknown }; b: unknown }]
    expect(value.a.self).toBe(value.a)
    expect(value.b).toBe(value.a)
  })
})

describe('what is refused', () => {
  // prettier-ignore
  test.each([
    ['a tab for indentation',        'a:\n\tb: 1\n',                     'yaml_syntax',        2, 1],
    ['a duplicate key',              'a: 1\nb: 2\na: 3\n',               'yaml_duplicate_key', 3, 1],
    ['a duplicate key in quotes',    'a: 1\n"a": 3\n',                   'yaml_duplicate_key', 2, 2],
    ['a duplicate nested key',       'x:\n  - a: 1\n    a: 3\n',         'yaml_duplicate_key', 3, 5],
    ['a duplicate key in a flow map', 'x: {a: 1, a: 2}\n',               'yaml_duplicate_key', 1, 11],
    ['two keys that are one in JSON', '1: a\n"1": b\n',                  'yaml_duplicate_key', 2, 2],
    ['two merge keys',               'a: {<<: 1, <<: 2}\n',              'yaml_duplicate_key', 1, 12],
    ['an unknown tag',               'a: !secret x\n',                   'yaml_syntax',        1, 4],
    ['a timestamp tag',              'a: !!timestamp 2026-11-20\n',      'yaml_syntax',        1, 4],
    ['a binary tag',                 'a: !!binary aGk=\n',               'yaml_syntax',        1, 4],
    ['an alias of nothing',          'a: *nobody\n',                     'yaml_syntax',        1, 5],
    ['an alias into another document', 'a: &a 1\n---\nb: *a\n',          'yaml_syntax',        3, 5],
    ['a key that is a list',         '[1]: a\n',                         'yaml_syntax',        1, 1],
    ['NUL',                          'a: 1\nb: \0\n',                    'yaml_syntax',        2, 4],
    ['a control character',          'a: 1\r\nb: \u0007\r\n',            'yaml_syntax',        2, 4],
    ['a control character in quotes', 'a: "\u0001"\n',                   'yaml_syntax',        1, 5],
    ['a lone surrogate',             'a: \ud800x\n',                     'yaml_syntax',        1, 4],
    ['YAML 2',                       '%YAML 2.0\n---\na\n',              'yaml_syntax',        2, 1],
    ['65 lists',                     '['.repeat(65),                     'yaml_too_deep',      1, 64],
  ])('%s', (_, source, code, line, column) => {
    expect(faultOf(source)).toMatchObject({ code, position: { line, column } })
  })

  test('a broken document breaks the file', () => {
    expect(readYaml('a: 1\n---\n[\n').ok).toBe(false)
  })

  // prettier-ignore
  test.each([
    ['of 62 lists',            `${'['.repeat(62)}1${']'.repeat(62)}`],
    ['of 1,000 aliases',       `[&a 1,${'*a,'.repeat(1_000)}]`],
    ['of 199,999 line ends',   `a${'\n'.repeat(199_999)}`],
    ['of a tag that is short', '!!str a'],
  ])('up to a limit: %s', (_, source) => {
    expect(documentsOf(source)).toHaveLength(1)
  })

  // prettier-ignore
  test.each([
    ['1,001 aliases',     `[&a 1,${'*a,'.repeat(1_001)}]`,                  'yaml_syntax',    'aliases'],
    ['200,001 line ends', `a${'\n'.repeat(200_001)}`,                       'yaml_too_large', 'line ends'],
    ['a long tag',        `a: !<${'a'.repeat(1_000)}> b`,                   'yaml_syntax',    'a tag is too long'],
    ['a long prefix',     `%TAG !e! tag:${'a'.repeat(1_000)}\n--- !e!x a`,  'yaml_syntax',    'a tag is too long'],
  ])('beyond a limit: %s', (_, source, code, message) => {
    const fault = faultOf(source)
    expect<string>(fault.code).toBe(code)
    expect(fault.message).toContain(message)
  })

  // prettier-ignore
  test.each([
    ['alias',              'password: *hunter2'],
    ['tag',                'password: !hunter2'],
    ['tag on a list',      'password: !hunter2 []'],
    ['tag on a mapping',   'password: !hunter2 {}'],
    ['verbatim tag',       'password: !<hunter2> x'],
    ['tag that is broken', 'password: !hunter2^ x'],
    ['named tag',          'password: !hunter2!x y'],
    ['handle twice',       '%TAG !hunter2! a\n%TAG !hunter2! b\n---\n'],
    ['quoted text',        'password: "hunter2'],
    ['text after text',    'password: "x" hunter2'],
    ['duplicate key',      'hunter2: 1\nhunter2: 1'],
    ['directive',          '%hunter2 hunter2\nhunter2'],
  ])('without a word of the file in the message: %s', (_, source) => {
    const { message } = faultOf(source)
    expect(message).not.toContain('hunter2')
    expect(message.length).toBeWithin(10, 100)
  })
})

describe('locate', () => {
  const block = `# first
kind: A
metadata:
  'name': "x"
  tags:
    - one
    - "two"
    - - in
      - &it out
  ref: *it
  flow: {a: 1, "b": [2, {c: 3}], d}
  text: |
    long
  empty:
---
other: &o
  at: 1
`
  // prettier-ignore
  const places: [string, number, (string | number)[], number, number][] = [
    ['the document',               0, [],                              2, 1],
    ['a value',                    0, ['kind'],                        2, 7],
    ['a mapping',                  0, ['metadata'],                    4, 3],
    ['quotes of key and value',    0, ['metadata', 'name'],            4, 11],
    ['a list',                     0, ['metadata', 'tags'],            6, 5],
    ['an item',                    0, ['metadata', 'tags', 0],         6, 7],
    ['a quoted item',              0, ['metadata', 'tags', 1],         7, 7],
    ['an item of a list in a list', 0, ['metadata', 'tags', 2, 0],     8, 9],
    ['an item with an anchor',     0, ['metadata', 'tags', 2, 1],      9, 13],
    ['an alias',                   0, ['metadata', 'ref'],            10, 8],
    ['behind an alias: the alias', 0, ['metadata', 'ref', 'x'],       10, 8],
    ['a flow map',                 0, ['metadata', 'flow'],           11, 9],
    ['in a flow map',              0, ['metadata', 'flow', 'a'],      11, 13],
    ['deep in a flow map',         0, ['metadata', 'flow', 'b', 1, 'c'], 11, 29],
    ['a key without a value: its map', 0, ['metadata', 'flow', 'd'],  11, 9],
    ['the text of a block',        0, ['metadata', 'text'],           13, 1],
    ['an empty value: its map',    0, ['metadata', 'empty'],           4, 3],
    ['what is missing: the nearest', 0, ['metadata', 'nothing', 3],    4, 3],
    ['an index that is too high',  0, ['metadata', 'tags', 9],         6, 5],
    ['a name in a list',           0, ['metadata', 'tags', 'x'],       6, 5],
    ['another document',           1, [],                             16, 1],
    ['in another document',        1, ['other', 'at'],                17, 7],
  ]
  test.each(places)('%s', (_, document, path, line, column) => {
    expect(documentsOf(block)[document]?.locate(path)).toStrictEqual({ line, column })
  })

  // prettier-ignore
  test.each<[string, (string | number)[], string[]]>([
    ['items of a list',               ['metadata', 'tags'],              ['6:7', '7:7', '8:7']],
    ['items of a list in a list',     ['metadata', 'tags', 2],           ['8:9', '9:13']],
    ['items of a flow list',          ['metadata', 'flow', 'b'],         ['11:22', '11:25']],
    ['none of an alias',              ['metadata', 'ref'],               []],
    ['none of a mapping',             ['metadata'],                      []],
    ['none of a text',                ['kind'],                          []],
    ['none of what is missing',       ['metadata', 'nothing', 'more'],   []],
  ])('locateItems: %s', (_, path, items) => {
    const positions = documentsOf(block)[0]?.locateItems(path)
    expect(positions?.map(({ line, column }) => `${line}:${column}`)).toStrictEqual(items)
  })

  test('locateItems: an empty item is at its list', () => {
    const positions = documentsOf('a: 1\nlist:\n  - x\n  -\n')[0]?.locateItems(['list'])
    expect(positions?.map(({ line, column }) => `${line}:${column}`)).toStrictEqual(['3:5', '3:3'])
  })

  test.each(places)('with CRLF: %s', (_, document, path, line, column) => {
    const crlf = documentsOf(block.replaceAll('\n', '\r\n'))
    expect(crlf[document]?.locate(path)).toStrictEqual({ line, column })
  })
})

describe('for anything', () => {
  test('what js-yaml writes is read back', () => {
    const json = fc.jsonValue({ stringUnit: 'binary' }).filter((value) => !Object.is(value, -0))
    fc.assert(
      fc.property(json, fc.boolean(), (value, isFlow) => {
        const source = dump(value, isFlow ? { flowLevel: 0 } : {})
        expect(JSON.stringify(valuesOf(source)[0])).toBe(JSON.stringify(value))
      }),
      { numRuns: 2_000 },
    )
  })

  const piece = fc.oneof(
    fc.constantFrom(...Array.from('-?:,[]{}#&*!|>\'"%@`~.\\ \t\n\r\0a1')),
    fc.constantFrom(
      '&a ',
      '*a',
      '? ',
      '- ',
      '---\n',
      '...\n',
      '<<: ',
      '!!str ',
      '\r\n  ',
      '\uFEFF',
      '%TAG ',
      ': ',
    ),
    fc.string({ unit: 'binary', maxLength: 3 }),
  )
  test('reading ends without an error, and every place is inside of the source', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const source = pieces.join('')
        const reading = readYaml(source)
        const lines = source.split(/\r\n|\r|\n/).length
        if (!reading.ok) {
          expect(reading.error.position?.line ?? 1).toBeWithin(1, lines + 1)
        } else {
          for (const document of reading.value.documents) {
            expect(document.locate(['a', 0]).line).toBeWithin(1, lines + 1)
            expect(document.locate([]).column).toBeGreaterThanOrEqual(1)
          }
        }
      }),
      { numRuns: 2_000 },
    )
  })
})
