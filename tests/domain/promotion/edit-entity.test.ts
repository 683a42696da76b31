import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { loadAll, YAML11_SCHEMA } from 'js-yaml'
import { editEntity } from '#src/lib/domain/promotion/plan.ts'
import { readYaml } from '#src/lib/yaml/read.ts'
import { scalarText } from '#src/lib/yaml/scalar-text.ts'
import { growth, LINEAR_GROWTH_MAX } from '#tests/support/processor-time.ts'

const ENTITY = { kind: 'Component', name: 'app' }
const PRODUCTION = { path: ['spec', 'lifecycle'], value: 'production' }
const NOTE = { path: ['metadata', 'annotations', 'portico/note'], value: 'moved' }

const edited = (source: string, ...edits: (typeof PRODUCTION)[]): string => {
  const result = editEntity(source, ENTITY, edits)
  if (!result.ok) throw new Error(result.error.reason)
  return result.value
}
const reasonFor = (source: string, ...edits: (typeof PRODUCTION)[]): string => {
  const result = editEntity(source, ENTITY, edits)
  if (result.ok) throw new Error(`edited:\n${result.value}`)
  expect(result.error.kind).toBe('entity_not_editable')
  return result.error.reason
}

const BASE = `# head comment
apiVersion: backstage.io/v1alpha1   # v
kind: Component
metadata:
  name: app
  title:   "My   App"   # two  spaces
  tags: [ 'a',  "b" , c]   # flow
  description: >-
    folded text that is rather long and goes on and on past eighty columns so that a re-flow would change it for sure
    second
  annotations: {a/b: "x",   long: "0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789"}
spec:
  type: service

  lifecycle: experimental   # promoted by portal
  owner: 'group:default/x'
  num: 0x1F
  date: 2020-01-01
  oct: 0o17
  yes_: yes
`
const OTHERS = `---
kind: Other
metadata: {name: other}
spec: {lifecycle: experimental}
...
---
`
const spec = (text: string) => BASE.replace(/spec:[^]*/, text)
const HEAD = 'kind: Component\nmetadata:\n  name: app\n'

describe('a text that is there', () => {
  // prettier-ignore
  test.each([
    ['plain',                    BASE, 'experimental ', 'production '],
    ['in double quotes',         BASE.replace('experimental', '"experimental"'), '"experimental"', '"production"'],
    ['in single quotes',         BASE.replace('experimental', "'experimental'"), "'experimental'", "'production'"],
    ['CRLF',                     BASE.replaceAll('\n', '\r\n'), 'experimental ', 'production '],
    ['CR',                       BASE.replaceAll('\n', '\r'), 'experimental ', 'production '],
    ['mixed line ends',          BASE.replace('spec:\n', 'spec:\r\n'), 'experimental ', 'production '],
    ['a byte order mark',        `\uFEFF${BASE}`, 'experimental ', 'production '],
    ['no last line end',         BASE.trimEnd(), 'experimental ', 'production '],
    ['no line end behind it',    spec('spec:\n  lifecycle: experimental'), 'experimental', 'production'],
    ['emoji and other scripts',  BASE.replace('head comment', 'коммент 😀 '), 'experimental ', 'production '],
    ['several documents',        `${OTHERS}${BASE}---\n# only a comment\nkind: Z\nmetadata: {name: z}\n`, 'experimental   #', 'production   #'],
    ['a document end',           `${BASE}...\n`, 'experimental ', 'production '],
    ['no value',                 BASE.replace('lifecycle: experimental  ', 'lifecycle:'), 'lifecycle:', 'lifecycle: production'],
    ['no value, at the end',     spec('spec:\n  lifecycle:'), 'lifecycle:', 'lifecycle: production'],
    ['null',                     BASE.replace('lifecycle: experimental', 'lifecycle: ~'), '~', 'production'],
    ['a number',                 BASE.replace('lifecycle: experimental', 'lifecycle: 0777'), '0777', 'production'],
    ['an empty text in quotes',  BASE.replace('lifecycle: experimental', "lifecycle: ''"), "''", "'production'"],
    ['a tab behind the colon',   BASE.replace('lifecycle: experimental', 'lifecycle:\texperimental'), 'experimental ', 'production '],
    ['the value on the next line', BASE.replace('lifecycle: experimental', 'lifecycle:\n    experimental'), 'experimental ', 'production '],
    ['over several lines',       BASE.replace('lifecycle: experimental', 'lifecycle: ex\n    peri mental'), 'ex\n    peri mental', 'production'],
    ['over several lines, quoted', BASE.replace('lifecycle: experimental', 'lifecycle: "ex\\\n    peri"'), '"ex\\\n    peri"', '"production"'],
    ['a quoted key',             BASE.replace('lifecycle:', '"lifecycle":'), 'experimental ', 'production '],
    ['an explicit key',          BASE.replace('lifecycle: experimental', '? lifecycle\n  : experimental'), 'experimental ', 'production '],
    ['four spaces',              BASE.replace(/^ {2}/gm, '    '), 'experimental ', 'production '],
    ['braces of Helm elsewhere', BASE.replace('head comment', '{{ .Values.x }}').replace('My   App', '{{- .Values.y }}'), 'experimental ', 'production '],
    ['a merge key beside it',    `x: &d {lifecycle: a}\n${BASE.replace('  type: service', '  <<: *d')}`, 'experimental ', 'production '],
    ['an anchor beside it',      BASE.replace('type: service', 'type: &t service\n  same: *t'), 'experimental ', 'production '],
    ['a tagged mapping',         BASE.replace('spec:', 'spec: !!map'), 'experimental ', 'production '],
    ['the kind in other case',   BASE.replace('kind: Component', 'kind: COMPONENT'), 'experimental ', 'production '],
    ['in braces',                spec('spec: { type: service, lifecycle: experimental }\n'), 'experimental', 'production'],
    ['in a document of braces',  '{kind: Component, metadata: {name: app}, spec: {lifecycle: experimental}}', 'experimental', 'production'],
    ['JSON',                     '{"kind":"Component","metadata":{"name":"app"},"spec":{"lifecycle":"experimental"}}', '"experimental"', '"production"'],
    ['__proto__ beside it',      BASE.replace('spec:', '__proto__: {lifecycle: a}\nspec:'), 'experimental ', 'production '],
  ])('%s', (_, source, was, is) => {
    expect(source.split(was)).toHaveLength(2)
    const result = edited(source, PRODUCTION)
    expect(result).toBe(source.replace(was, is))
    expect(edited(result, PRODUCTION)).toBe(result)
  })

  // prettier-ignore
  test.each([
    ['plain', 'production'], ['quoted', '"production"'], ['escaped', '"\\x70roduction"'], ['of two lines', '"produc\\\n    tion"'],
  ])('stays as it is written when it is that text already: %s', (_, written) => {
    const source = BASE.replace('experimental', written)
    expect(edited(source, PRODUCTION)).toBe(source)
  })

  test('no edit is no change, and several are made in turn', () => {
    expect(edited(BASE)).toBe(BASE)
    const type = { path: ['spec', 'type'], value: 'website' }
    expect(edited(BASE, PRODUCTION, type)).toBe(
      BASE.replace('experimental', 'production').replace('type: service', 'type: website'),
    )
  })
})

describe('a text that is missing', () => {
  const metadata = (text: string) => `kind: Component\nmetadata:\n${text}`
  // prettier-ignore
  test.each([
    ['behind the last key',          BASE.replace(/ {2}lifecycle.*\n/, ''), PRODUCTION, 'yes_: yes\n', 'yes_: yes\n  lifecycle: production\n'],
    ['with CRLF',                    BASE.replace(/ {2}lifecycle.*\n/, '').replaceAll('\n', '\r\n'), PRODUCTION, 'yes_: yes\r\n', 'yes_: yes\r\n  lifecycle: production\r\n'],
    ['without a last line end',      `${HEAD}spec:\n  a: b`, PRODUCTION, 'a: b', 'a: b\n  lifecycle: production'],
    ['beside a comment',             `${HEAD}spec:\n  # of a\n  a: b # of b\n  # the end\n`, PRODUCTION, '# of b', '# of b\n  lifecycle: production'],
    ['behind an empty value',        `${HEAD}spec:\n  owner: # nobody\n  # the end\n`, PRODUCTION, '# nobody', '# nobody\n  lifecycle: production'],
    ['behind a list',                `${HEAD}spec:\n  list:\n  - a\n  - b: [c, {d: e, }, # f ]\n     ] # g\n`, PRODUCTION, '# g', '# g\n  lifecycle: production'],
    ['behind an alias',              `${HEAD}spec:\n  a: &a b\n  b: *a\n`, PRODUCTION, '*a\n', '*a\n  lifecycle: production\n'],
    ['behind literal text',          `${HEAD}spec:\n  a: |\n    x # y\n\n\n# the end\n`, PRODUCTION, 'x # y\n', 'x # y\n  lifecycle: production\n'],
    ['behind text that keeps lines', `${HEAD}spec:\n  a: |+\n    x\n\n\n# the end\n`, PRODUCTION, 'x\n\n\n', 'x\n\n\n  lifecycle: production\n'],
    ['behind literal text, cut',     `${HEAD}spec:\n  a: |\n    x`, PRODUCTION, '    x', '    x\n  lifecycle: production'],
    ['behind folded text',           `${HEAD}spec:\n  a: >-\n    x\n    y`, PRODUCTION, '    y', '    y\n  lifecycle: production'],
    ['behind quoted lines',          `${HEAD}spec:\n  a: "x\n    y" # z\n`, PRODUCTION, '# z', '# z\n  lifecycle: production'],
    ['in front of the next document', `${HEAD}spec:\n  a: b\n---\nkind: B\n`, PRODUCTION, 'a: b\n', 'a: b\n  lifecycle: production\n'],
    ['in front of a document end',   `${HEAD}spec:\n  a: b\n...\n# c`, PRODUCTION, 'a: b\n', 'a: b\n  lifecycle: production\n'],
    ['without spec',                 `${HEAD}# the end`, PRODUCTION, 'name: app\n', 'name: app\nspec:\n  lifecycle: production\n'],
    ['in annotations',               metadata('  name: app\n  annotations:\n    a: b\nspec: {}\n'), NOTE, 'a: b\n', 'a: b\n    portico/note: moved\n'],
    ['without annotations',          metadata('  name: app # here\nspec: {}\n'), NOTE, '# here\n', '# here\n  annotations:\n    portico/note: moved\n'],
    ['without, four spaces',         metadata('    name: app\nspec: {}\n'), NOTE, 'app\n', 'app\n    annotations:\n        portico/note: moved\n'],
    ['with a byte order mark',       '\uFEFFkind: Component\nmetadata: {name: app}\n', PRODUCTION, 'app}\n', 'app}\nspec:\n  lifecycle: production\n'],
    ['in braces',                    `${HEAD}spec: { type: service }\n`, PRODUCTION, 'service }', 'service, lifecycle: production }'],
    ['in empty braces',              `${HEAD}spec: {}\n`, PRODUCTION, '{}', '{lifecycle: production}'],
    ['in braces of several lines',   `${HEAD}spec: {\n  # first\n  type: service, # a\n  owner: x # b\n  }\n`, PRODUCTION, 'x # b', 'x, lifecycle: production # b'],
    ['behind a last comma',          `${HEAD}spec: {type: service,}\n`, PRODUCTION, 'service,', 'service, lifecycle: production,'],
    ['behind an empty value, in braces', `${HEAD}spec: {type: }\n`, PRODUCTION, 'type: ', 'type:, lifecycle: production '],
    ['in JSON',                      '{"kind":"Component","metadata":{"name":"app"},"spec":{}}', PRODUCTION, '"spec":{}', '"spec":{"lifecycle": "production"}'],
    ['mappings in braces',           '{kind: Component, metadata: {name: app}}', NOTE, 'name: app', 'name: app, annotations: {portico/note: moved}'],
    ['a key that needs quotes',      metadata('  name: app\n'), { path: ['metadata', 'on', 'a: b'], value: 'no' }, 'app\n', "app\n  'on':\n    'a: b': 'no'\n"],
    ['a value that every object has', metadata('  name: app\n'), { path: ['constructor', 'name'], value: 'Object' }, 'app\n', 'app\nconstructor:\n  name: Object\n'],
    ['a long text',                  HEAD, { path: ['metadata', 'note'], value: `long ${'word '.repeat(60)}text` }, 'app\n', `app\n  note: long ${'word '.repeat(60)}text\n`],
    ['a key of every object',        metadata('  name: app\n'), { path: ['metadata', '__proto__', 'constructor'], value: 'x' }, 'app\n', 'app\n  __proto__:\n    constructor: x\n'],
  ])('%s', (_, source, edit, was, is) => {
    expect(source.split(was)).toHaveLength(2)
    const result = edited(source, edit)
    expect(result).toBe(source.replace(was, is))
    expect(edited(result, edit)).toBe(result)
  })

  test('several under one mapping that is missing', () => {
    const other = { path: ['metadata', 'annotations', 'portico/by'], value: '1e3' }
    expect(edited(HEAD, NOTE, other)).toBe(
      `${HEAD}  annotations:\n    portico/note: moved\n    portico/by: '1e3'\n`,
    )
  })
})

describe('what is refused', () => {
  // prettier-ignore
  test.each([
    ['literal text',             BASE.replace('lifecycle: experimental   # promoted by portal', 'lifecycle: |-\n    experimental'), 'block'],
    ['folded text',              BASE.replace('lifecycle: experimental   # promoted by portal', 'lifecycle: >\n    experimental'), 'block'],
    ['an alias',                 `x: &st experimental\n${BASE.replace('experimental', '*st')}`, 'alias'],
    ['an anchor',                `${BASE.replace('experimental', '&st experimental')}  other: *st\n`, 'anchor'],
    ['an anchor without a text', BASE.replace('experimental', '&st'), 'anchor'],
    ['a tag',                    BASE.replace('experimental', '!!str experimental'), 'tag'],
    ['a list',                   BASE.replace('experimental', '[experimental]'), 'not a text'],
    ['a mapping',                BASE.replace('experimental', '{a: b}'), 'not a text'],
    ['an empty parent',          `${HEAD}spec: # none\n`, 'empty'],
    ['a parent that is null',    `${HEAD}spec: ~\n`, 'empty'],
    ['a parent with an anchor',  `${BASE.replace('spec:', 'spec: &s')}copy: *s\n`, 'anchor'],
    ['a parent that is an alias', spec('defaults: &d {lifecycle: experimental}\nspec: *d\n'), 'alias'],
    ['a parent that is a list',  spec('spec: [lifecycle]'), 'not a mapping'],
    ['a parent that is text',    spec('spec: lifecycle'), 'not a mapping'],
    ['a key that is an alias',   `x: &k lifecycle\n${BASE.replace('lifecycle: e', '*k : e')}`, 'change more'],
    ['an explicit key alone',    spec('spec:\n  ? lifecycle\n'), 'colon'],
    ['a colon on the next line', `${HEAD}spec:\n  ? a\n  :\n`, 'change more'],
    ['a list with an empty end', `${HEAD}spec:\n  a:\n  - b\n  -\n`, 'change more'],
    ['a key twice',              `${BASE}  lifecycle: x\n`, 'not readable'],
    ['braces of Helm',           BASE.replace('name: app', 'name: app\n  x: {{ .Values.y }}'), 'not readable'],
    ['a tab for indentation',    BASE.replace('  type', '\ttype'), 'not readable'],
    ['nothing',                  '', 'does not have'],
    ['another name',             BASE.replace('name: app', 'name: apps'), 'does not have'],
    ['another kind',             BASE.replace('kind: Component', 'kind: API'), 'does not have'],
    ['a name that is a number',  BASE.replace('name: app', 'name: 1'), 'does not have'],
    ['the entity twice',         `${BASE}---\n${BASE}`, 'more than once'],
    ['twice, in other case',     `${BASE}---\nkind: component\nmetadata: {name: APP}\n`, 'more than once'],
    ['depth beyond the limit',   `${HEAD}a: ${'['.repeat(70)}`, 'not readable'],
  ])('%s', (_, source, reason) => {
    expect(reasonFor(source, PRODUCTION)).toContain(reason)
  })

  test('a file of which aliases make a huge value is not walked', () => {
    const levels = Array.from({ length: 60 }, (_, n) => `a${n + 1}: &a${n + 1} [*a${n}, *a${n}]\n`)
    const source = `a0: &a0 x\n${levels.join('')}${BASE}`
    expect(edited(source, PRODUCTION)).toBe(source.replace('experimental ', 'production '))
  })

  test('a file that looks endless costs no more than its length', () => {
    const ofSigns = (count: number) => () => {
      const many = '# '.repeat(count / 2)
      edited(`${HEAD}spec:\n  a: [b ${many}\n   , !!null ${many}\n   ]\n`, PRODUCTION)
      edited(`${HEAD}spec:\n  a: b${' '.repeat(count)}# c\n`, PRODUCTION)
    }
    expect(growth(200_000, ofSigns)).toBeLessThan(LINEAR_GROWTH_MAX)
  })

  test('an edit without a path, and one through a text', () => {
    expect(reasonFor(BASE, { path: [], value: 'x' })).toContain('path')
    expect(reasonFor(BASE, { path: ['kind', 'x'], value: 'x' })).toContain('not a mapping')
    expect(reasonFor(BASE, PRODUCTION, { path: ['kind', 'x'], value: 'x' })).toContain(
      'not a mapping',
    )
  })

  // prettier-ignore
  test.each(['a\nb', 'a\r\nb', '\n', 'a\rb', 'a\tb', '\0', '\u0085', '\u2028', '\u2029', '\uFEFF', '\uFFFF', '\ud800'])(
    'more than a line, and control characters: %j',
    (value) => {
      expect(reasonFor(BASE, { ...PRODUCTION, value })).toContain('one line')
      expect(reasonFor(BASE, { path: ['spec', value], value: 'x' })).toContain('one line')
    },
  )
})

/** Of the spellings that break out of a value, or that a reader of YAML 1.1 or 1.2 takes for something else. */
// prettier-ignore
const HOSTILE = [
  'a: b', 'a:', ': ', ':', '#', 'a #b', '#a', "'", '"', "it's", '"q"', "'q'", '\\', '\\n', '\\"', '&a', '*a', '!a', '!!int 1', '{{', '{{ .Values.x }}',
  '}', '{a: b}', '[', ']', ',', 'a, b: c', 'a]', '-', '- a', '--', '---', '...', '?', '? a', '|', '>', '>-', '%TAG', '@a', '`a`', '<<', '=', '~',
  '', ' ', ' a', 'a ', 'null', 'Null', 'true', 'FALSE', 'on', 'Off', 'yes', 'NO', 'y', 'N', '1', '-1', '+1', '0777', '0o17', '0x1F', '0b1', '1_000',
  '1.10', '1.', '.5', '1e3', '1E3', '12345e7', '.inf', '-.INF', '.nan', '1:30', '12:30:45', '2026-11-21', '2026-11-21T10:00:00Z',
  '2026-11-21 10:00:00', '😀', 'é\u00a0', 'x'.repeat(2_000), 'word '.repeat(60), '${{ x }}', '$(x)', 'https://a.example/b?c=d#e',
]

describe('any value is that text and nothing else, to readers of YAML 1.1 and 1.2', () => {
  const places: [string, string][] = [
    ['plain', `${HEAD}spec:\n  lifecycle: x # c\n`],
    ['single', `${HEAD}spec:\n  lifecycle: 'x' # c\n`],
    ['double', `${HEAD}spec:\n  lifecycle: "x" # c\n`],
    ['null', `${HEAD}spec:\n  lifecycle:\n  c: d\n`],
    ['missing', `${HEAD}spec:\n  c: d\n`],
    ['missing with its parent', HEAD],
  ]
  const check = (source: string, value: string) => {
    const result = edited(source, { ...PRODUCTION, value })
    const [before] = loadAll(source) as { spec?: object }[]
    const meant = [{ ...before, spec: { ...before?.spec, lifecycle: value } }]
    expect(loadAll(result)).toEqual(meant)
    expect(loadAll(result, { schema: YAML11_SCHEMA })).toEqual(meant)
    expect(edited(result, { ...PRODUCTION, value })).toBe(result)
    const read = readYaml(result)
    expect(read.ok && scalarText(read.value, PRODUCTION.path)).toBe(value)
  }

  test.each(places)('%s', (_, source) => {
    for (const value of HOSTILE) check(source, value)
  })

  test.each(places)('%s, for anything of one line', (_, source) => {
    const value = fc
      .string({ unit: 'binary', maxLength: 12 })
      .map((text) => text.replace(/[\p{Cc}\p{Cs}\u2028\u2029\uFEFF\uFFFE\uFFFF]/gu, ': '))
    fc.assert(fc.property(value, (text) => check(source, text)))
  })
})

describe('for any file', () => {
  const comment = fc.constantFrom('', ' # c', '   # {"\'}: |', ' # lifecycle: experimental')
  const own = fc.constantFrom('', '\n', '# alone\n', '  # x: y\n', '\n\n')
  const written = fc.constantFrom(
    'x',
    "'x'",
    '"x"',
    '1.10',
    '~',
    "'it''s'",
    '"\\u0061\\""',
    'a b',
    '"😀"',
  )
  const entry = (key: string, indent: string) =>
    fc.oneof(
      fc.tuple(own, written, comment).map(([a, b, c]) => `${a}${indent}${key}: ${b}${c}\n`),
      fc.constantFrom(
        `${indent}${key}: |\n${indent}  text\n\n`,
        `${indent}${key}: >-\n${indent} a\n${indent} b\n`,
        `${indent}${key}:\n${indent}- a\n${indent}-   b: {c, d: [e]} # ]\n`,
        `${indent}${key}: {a: [b, "c"], # d }\n${indent}  e: }\n`,
        `${indent}${key}:\n`,
        `${indent}"${key}" :  [ ]\n`,
      ),
    )
  const file = fc
    .record({
      start: fc.constantFrom('', '\uFEFF', '---\n', '# head\n', OTHERS),
      end: fc.constantFrom('', '---\nkind: Z\n', '...\n', '# tail\n'),
      lineEnd: fc.constantFrom('\n', '\r\n'),
      indent: fc.constantFrom('  ', '    ', ' '),
      isCut: fc.boolean(),
    })
    .chain((shape) => {
      const { indent } = shape
      const many = (prefix: string) =>
        fc
          .array(fc.constant(null), { maxLength: 3 })
          .chain((items) => fc.tuple(...items.map((_, n) => entry(`${prefix}${n}`, indent))))
      return fc
        .tuple(many('m'), many('n'), many('s'), many('t'), written, comment)
        .map(([before, behind, above, below, value, c]) => {
          const { start, end, lineEnd, isCut } = shape
          const top = `${start}kind: Component\nmetadata:\n${before.join('')}${indent}name: app\n${behind.join('')}`
          const lines = (text: string) => text.replaceAll('\n', lineEnd)
          const prefix = lines(`${top}spec:\n${above.join('')}${indent}lifecycle: `)
          const suffix = lines(`${c}\n${below.join('')}${end}`)
          return {
            prefix,
            value,
            suffix: isCut ? suffix.trimEnd() : suffix,
            without: lines(`${top}spec:\n${indent}type: a\n${above.join('')}${end}`),
          }
        })
    })
  const value = fc.oneof(fc.constantFrom(...HOSTILE), fc.constant('production'))

  test('only the characters of the value change', () => {
    fc.assert(
      fc.property(file, value, ({ prefix, value: was, suffix }, is) => {
        const result = edited(prefix + was + suffix, { ...PRODUCTION, value: is })
        expect(result.startsWith(prefix)).toBe(true)
        expect(result.slice(prefix.length).endsWith(suffix)).toBe(true)
        const text = result.slice(prefix.length, result.length - suffix.length)
        expect(text).not.toMatch(/[\r\n]/)
        expect(loadAll(`- ${text}`)).toEqual([[is]])
        expect(edited(result, { ...PRODUCTION, value: is })).toBe(result)
      }),
      { numRuns: 500 },
    )
  })

  test('what is missing is inserted at one place, with the line ends of the file', () => {
    fc.assert(
      fc.property(file, value, ({ without: source }, is) => {
        const result = edited(source, { ...PRODUCTION, value: is }, { ...NOTE, value: is })
        const inserted = result.length - source.length
        expect(inserted).toBeGreaterThan(0)
        expect(result.replaceAll('\r\n', '').includes('\r')).toBe(false)
        if (source.includes('\r\n')) expect(/(?<!\r)\n/.test(result)).toBe(false)
        const lines = (text: string) => text.split(/\r?\n/)
        const added = lines(result)
        for (const line of lines(source)) {
          const at = added.indexOf(line)
          expect(at).toBeGreaterThanOrEqual(0)
          added.splice(at, 1)
        }
        expect(added).toHaveLength(3)
      }),
      { numRuns: 500 },
    )
  })

  // prettier-ignore
  const PIECES = ['a', ':', ': ', '- ', '? ', ', ', '{', '}', '[', ']', '"', "'", '#', ' #', '\n', '\n  ', '\n    ', '&a ', '*a', '!!str ', '|', '>-', '~', 'lifecycle', 'x', '---\n', '...\n', '\r\n', '\uFEFF', '<<: ', ' ']
  test('whatever stands in it: refused, or changed as meant', () => {
    let count = 0
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...PIECES), { maxLength: 14 }),
        fc.constantFrom('spec:', 'spec: {', 'spec:\n  lifecycle: ', 'x: &a\n  b: c\nspec:\n  '),
        (pieces, start) => {
          const source = `${HEAD}${start}${pieces.join('')}`
          const result = editEntity(source, ENTITY, [PRODUCTION])
          if (!result.ok) return
          count++
          const [was, ...others] = loadAll(source) as { spec?: object | null }[]
          const meant = { ...was, spec: { ...was?.spec, lifecycle: 'production' } }
          expect(loadAll(result.value)).toEqual([meant, ...others])
        },
      ),
      { numRuns: 5_000 },
    )
    expect(count).toBeGreaterThan(300)
  })
})
