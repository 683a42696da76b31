import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { FILE_BYTES_MAX } from '#src/lib/domain/catalog/problem.ts'
import type { ParsedFile } from '#src/lib/domain/catalog/parse-file.ts'
import { entity, type HostileFile, hostileYaml } from '#tests/support/hostile-yaml.ts'
import { parse as parseFile } from './repository.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const parse = (text: string) => parseFile(bytes(text))
const jsonOf = ({ entities }: ParsedFile): unknown[] =>
  entities.map(({ json }) => JSON.parse(json) as unknown)
const namesOf = ({ entities }: ParsedFile) => entities.map(({ card }) => card.name)

/** Findings are capped, so this is far from what any file below really has. */
const FINDINGS_MAX = 20

describe('hostile files', () => {
  test.each<[string, HostileFile]>(Object.entries(hostileYaml))('%s', (_, file) => {
    const { entities, findings } = parseFile(file.bytes)
    expect(findings[0]?.code ?? null).toBe(file.code as (typeof findings)[0]['code'] | null)
    expect(entities).toHaveLength(file.entities)
    expect(findings.length).toBeLessThanOrEqual(FINDINGS_MAX)
    for (const { message } of findings) expect(message.length).toBeLessThan(300)
  })

  test('together they have polluted nothing', () => {
    expect('polluted' in {}).toBe(false)
    expect(Object.keys(Object.prototype)).toStrictEqual([])
  })

  test('aliases do not make more of a file than four times the limit of one without', () => {
    const { entities } = parseFile(hostileYaml['many small alias bombs'].bytes)
    const size = entities.reduce((sum, { json }) => sum + json.length, 0)
    expect(size).toBeLessThan(4 * FILE_BYTES_MAX)
  })
})

test('an entity is its document as JSON, with everything in it', () => {
  const parsed = parse(
    `# comment\n---\n${entity('a', 'spec:\n  x: [1, 1.5, ~, "é\\u2028", &t {y: 012}, *t]\n  "__proto__": {z: yes}\n')}`,
  )
  expect(parsed.findings).toStrictEqual([])
  expect(parsed.entities[0]?.json).toBe(
    '{"apiVersion":"portico/v1","kind":"Component","metadata":{"name":"a"},' +
      '"spec":{"x":[1,1.5,null,"é\u2028",{"y":12},{"y":12}],"__proto__":{"z":"yes"}}}',
  )
  expect(parsed.entities[0]?.line).toBe(3)
})

test('a bad document hides only itself', () => {
  const parsed = parse(
    [entity('a'), '- a list\n', entity('B'), '', entity('c', 'x: .nan\n'), entity('d')].join(
      '---\n',
    ),
  )
  expect(namesOf(parsed)).toStrictEqual(['a', 'd'])
  expect(parsed.entities.map(({ line }) => line)).toStrictEqual([1, 20])
  expect(parsed.findings).toStrictEqual([
    {
      severity: 'error',
      code: 'document_not_mapping',
      line: 6,
      column: 1,
      ref: null,
      message: 'a document must be a mapping with apiVersion, kind and metadata',
    },
    {
      severity: 'error',
      code: 'field_invalid',
      line: 11,
      column: 9,
      ref: null,
      message:
        'metadata.name must be at most 63 lower-case letters, digits and inner dashes, such as payments-api',
    },
    {
      severity: 'error',
      code: 'document_not_json',
      line: 18,
      column: 4,
      ref: null,
      message: 'JSON has no infinity and no NaN',
    },
  ])
})

test('bad syntax hides the file', () => {
  const parsed = parse(`${entity('a')}---\na: [\n`)
  expect(parsed.entities).toStrictEqual([])
  expect(parsed.findings.map(({ code, line }) => [code, line])).toStrictEqual([['yaml_syntax', 7]])
})

test('a warning names the entity and hides nothing', () => {
  const parsed = parse(entity('a', 'spec:\n  lifecycle: "beta"\n'))
  expect(namesOf(parsed)).toStrictEqual(['a'])
  expect(parsed.findings).toMatchObject([
    { severity: 'warning', code: 'lifecycle_unknown', line: 6, column: 14, ref: 'component/a' },
  ])
})

test('findings end at twenty, entities do not', () => {
  const parsed = parse(
    Array.from({ length: 50 }, (_, index) =>
      entity(`e${index}`, 'spec: {lifecycle: x, owner: a b}\n'),
    ).join('---\n'),
  )
  expect(parsed.findings).toHaveLength(FINDINGS_MAX)
  expect(parsed.entities).toHaveLength(50)
})

describe('the size of an entity is counted', () => {
  // prettier-ignore
  test.each([
    ['in bytes, not letters',  `a: "${'é'.repeat(140_000)}"\n`],
    ['as JSON, with escapes',  `a: '${'"'.repeat(140_000)}'\n`],
    ['with its keys',          `"${'k'.repeat(262_144)}": 1\n`],
  ])('%s', (_, more) => {
    expect(parse(entity('big', more))).toMatchObject({
      entities: [],
      findings: [{ code: 'document_too_large', severity: 'error' }],
    })
  })
})

test('one file has 1 MiB and not a byte more', () => {
  const full = new Uint8Array(FILE_BYTES_MAX).fill(0x20)
  full.set(bytes(entity('full')))
  expect(namesOf(parseFile(full))).toStrictEqual(['full'])
  expect(parseFile(new Uint8Array(FILE_BYTES_MAX + 1).fill(0x20)).findings).toMatchObject([
    { code: 'file_too_large', line: null },
  ])
})

test('no finding has a value of the file in it', () => {
  const canary = 'hunter2canary'
  const anywhere = fc.constantFrom(
    `password: ${canary}`,
    `password: *${canary}`,
    `password: !${canary} x`,
    `password: !${canary}`,
    `password: !<${canary}> x`,
    `password: !${canary}!x y`,
    `a: "${canary}`,
    `a: '${canary}`,
    `a: &${canary} *${canary}`,
    `kind: ${canary} x`,
    `metadata: {name: ${canary.toUpperCase()}}`,
    `spec: {owner: "${canary} x", lifecycle: ${canary}, type: [${canary}]}`,
    `spec: ${canary}`,
    `metadata: {name: a, tags: ${canary}, annotations: {a: [${canary}]}}`,
    `- ${canary}`,
    `? ${canary}`,
    `apiVersion: [${canary}]`,
    `kind: A\nkind: ${canary}`,
    `a: "\\u0${canary}"`,
    `a: "\\z${canary}"`,
    `%TAG !${canary}! x`,
    `%YAML ${canary}`,
    `@${canary}`,
    `a: |9${canary}`,
    `\ta: ${canary}`,
    'apiVersion: a',
    'kind: A',
    'metadata: {name: a}',
    '---',
    '...',
    'x: .inf',
    '  ',
  )
  fc.assert(
    fc.property(fc.array(anywhere, { maxLength: 6 }), (lines) => {
      for (const { message, ref } of parse(lines.join('\n')).findings) {
        expect(`${message} ${ref}`.toLowerCase()).not.toContain(canary)
      }
    }),
    { numRuns: 500 },
  )
})

describe('for anything', () => {
  const check = (file: Uint8Array) => {
    const parsed = parseFile(file)
    for (const finding of parsed.findings) expect(finding.message).not.toBe('')
    expect(jsonOf(parsed).length).toBe(parsed.entities.length)
  }

  test('bytes', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 64 }), check), { numRuns: 500 })
  })

  const real = [
    entity('shop', 'spec:\n  owner: group:acme/payments\n  tags: ["a", b]\n  more: &m {a: *m}\n'),
    `---\n${entity('two')}---\r\n${entity('three', 'text: |\n  long\n  text\nlist:\n- 1\n- "2"\n')}...\n`,
    '{"apiVersion":"a","kind":"A","metadata":{"name":"a","annotations":{"x":"y"}}}',
  ].map(bytes)
  test('real files with some bytes changed', () => {
    const change = fc.record({
      at: fc.nat({ max: 200 }),
      remove: fc.nat({ max: 3 }),
      insert: fc.oneof(
        fc.uint8Array({ maxLength: 3 }),
        fc
          .constantFrom(
            '\n',
            '  ',
            '- ',
            ': ',
            '"',
            "'",
            '[',
            '}',
            '&a ',
            '*a',
            '!',
            '|',
            '>',
            '#',
            '\t',
            '---\n',
          )
          .map(bytes),
      ),
    })
    fc.assert(
      fc.property(fc.constantFrom(...real), fc.array(change, { maxLength: 5 }), (file, changes) => {
        check(
          changes.reduce((content, { at, remove, insert }) => {
            const before = content.subarray(0, at)
            return Uint8Array.of(...before, ...insert, ...content.subarray(before.length + remove))
          }, file),
        )
      }),
      { numRuns: 500 },
    )
  })
})
