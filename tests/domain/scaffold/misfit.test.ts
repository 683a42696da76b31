import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { load } from 'js-yaml'
import { misfitsOf, nameMisfits, unquotedIn } from '#src/lib/domain/scaffold/misfit.ts'
import { substitute } from '#src/lib/domain/scaffold/placeholders.ts'
import { valuesWith } from '#tests/support/template-values.ts'

/** `{x}` and `{y}` are the parameters of these names. */
const source = (text: string): string =>
  text.replaceAll(/\{([a-z])\}/g, '{{ values.parameters.$1 }}')

const rulesOf = (path: string, text: string, x: string, y = 'why') =>
  misfitsOf(path, source(text), valuesWith({ x, y })).map((fault) => `${fault.rule} ${fault.path}`)

const BROKEN = ['one_value /parameters/x']

describe('in YAML a text stays one scalar', () => {
  test.each<readonly [string, string]>([
    ['key: {x}', 'plain words'],
    ['key: {x}', 'http://example.org/a#b'],
    ['key: {x}', "it's"],
    ['key: {x}', 'ready?'],
    ['a: [b]\nkey: {x}', ':8080'],
    ['key: "{x}"', 'a: b'],
    ['key: "{x}"', '# no comment'],
    ['key: "{x}"', "it's - [so] {it} is & * ! | > %"],
    ['key: "{x}"', ''],
    ['key: "{x}"', ' spaced '],
    ['key: "{x}"', 'null'],
    ['key: "{x}"', '1.10'],
    ["key: '{x}'", 'say "hello" \\n'],
    ['key: !!str {x}', '1.10'],
    ['key: {x}.0', 'v1'],
    ['"{x}": 1\nother: 2', 'key'],
    ['# {x}\nkey: 1', '": ] }'],
    ['key: [{x}, b]', 'a'],
    ['key: {x}{y}', 'a'],
    ['key: a {{ values.parameters.none }}', 'no placeholder'],
  ])('%p holds %p', (text, value) => {
    expect(rulesOf('a.yaml', text, value)).toStrictEqual([])
  })

  test.each<readonly [string, string]>([
    ['key: {x}', 'a: b'],
    ['key: {x}', 'a #b'],
    ['key: {x}', '#b'],
    ['key: {x}', '"quoted"'],
    ['key: {x}', "'quoted'"],
    ['key: {x}', ' a'],
    ['key: {x}', 'a '],
    ['key: {x}', '- a'],
    ['key: {x}', '[a]'],
    ['key: {x}', '{a: b}'],
    ['key: {x}', '&a b'],
    ['key: {x}', '*a'],
    ['a: &a 1\nkey: {x}', '*a'],
    ['key: {x}', '!!int 3'],
    ['key: {x}', '|'],
    ['key: {x}', '>-'],
    ['key: {x}', '% a'],
    ['key: {x}', '@a'],
    ['key: {x}', '`a`'],
    ['{x}', '---'],
    ['{x}', '...'],
    ['{x}', 'a: b'],
    ['- {x}', '- a'],
    ['- {x}', '? a'],
    ['key: {x}', ''],
    ['key: {x}', 'null'],
    ['key: {x}', '~'],
    ['key: {x}', 'true'],
    ['key: {x}', 'on'],
    ['key: {x}', 'No'],
    ['key: {x}', '8080'],
    ['key: {x}', '1.10'],
    ['key: {x}', '0x1f'],
    ['key: {x}', '0o17'],
    ['key: {x}', '0777'],
    ['key: {x}', '1_000'],
    ['key: {x}', '0X1F'],
    ['key: {x}', '-0o7'],
    ['key: {x}', '0o-1_0'],
    ['key: 1{x}2', '_E'],
    ['key: [{x}, b]', '?a'],
    ['key: [{x}, b]', 'a?b'],
    ['key: {a: {b: [{x}]}}', ':a'],
    ['key: {x}', '='],
    ['key: {x}', '1:30'],
    ['key: {x}', '2026-11-23'],
    ['key: {x}', '.inf'],
    ['{x}: 1', '<<'],
    ['{x}: 1', 'yes'],
    ['{x}: 1\nother: 2', 'other'],
    ['"{x}": 1\n"{y}": 2', 'why'],
    ['key: 1.{x}', '5'],
    ['key: "{x}"', 'a"'],
    ['key: "{x}"', 'a\\'],
    ['key: "{x}"', '\\x41'],
    ['key: "{x}"', 'a", b: "c'],
    ["key: '{x}'", "it's"],
    ["key: '{x}'", "a''b"],
    ['key: [{x}, b]', 'a, c'],
    ['key: [{x}, b]', 'a]'],
    ['key: [{x}, b]', 'a: c'],
    ['key: {a: {x}}', 'b, c: d'],
    ['key: {a: {x}}', 'b}'],
    ['&{x} a', 'b c'],
    ['key: |\n  {x}\n  b', '  a'],
    ['key: >\n  {x}\n  b', ' a'],
  ])('%p does not hold %p', (text, value) => {
    const faults = rulesOf('a.yaml', text, value)
    expect(faults).toContain('one_value /parameters/x')
    // The same in the quotes that it needs is accepted.
    if (!/["'\\]/.test(value)) expect(rulesOf('a.yaml', 'key: "{x}"', value)).toStrictEqual([])
  })

  test('names the file and the text that does not fit', () => {
    const values = valuesWith({ x: 'a: b', y: 'fits' })
    expect(misfitsOf('deploy/app.yml', source('a: {x}\nb: {y}'), values)).toStrictEqual([
      {
        path: '/parameters/x',
        rule: 'one_value',
        message:
          'would not be one text in deploy/app.yml: choose other words, without quotes, backslashes, colons and #, and more than a number or a word such as on',
      },
    ])
  })

  test.each<readonly [string, string]>([
    ['args: [{x}]', 'a, b'],
    ['args: {a: {x}}', 'b, c: d'],
    ['- {x}', 'a: b'],
    ['{x}', 'a:'],
  ])('%p does not hold %p among braces of Helm', (text, value) => {
    const rules = rulesOf('chart/a.yaml', `{{- if .Values.on }}\n${text}\n`, value)
    expect(rules).toContain('one_value /parameters/x')
  })

  test('in the file of kustomize that has no ending, too', () => {
    expect(rulesOf('base/Kustomization', 'namePrefix: {x}', 'a: b')).toStrictEqual(BROKEN)
  })

  test('whatever words the file has', () => {
    const text = `key: {x}\nother: PorticoText0Q0Q PorticoText1Q0Q`
    expect(rulesOf('a.yaml', text, 'a: b')).toStrictEqual(BROKEN)
  })

  test('names both of two texts that only together do not fit', () => {
    expect(rulesOf('a.yaml', 'key: {x}{y}', 'a:', ' b')).toStrictEqual([
      'one_value /parameters/x',
      'one_value /parameters/y',
    ])
  })

  test('names all of them in a file that is too large to be read for each', () => {
    const large = `key: {x}\nother: {y}\n${'# comment\n'.repeat(150_000)}`
    expect(rulesOf('a.yaml', large, 'a: b')).toStrictEqual([
      'one_value /parameters/x',
      'one_value /parameters/y',
    ])
  })

  test('numbers and flags go everywhere', () => {
    const values = valuesWith({ x: -1e21, y: false })
    for (const path of ['a.yaml', 'a.json', 'Dockerfile', '.github/workflows/ci.yaml']) {
      expect(misfitsOf(path, source('{"a": [{x}, {y}]}'), values)).toStrictEqual([])
    }
  })

  test('the description too, which may be nothing', () => {
    const rules = (text: string, description: string) =>
      misfitsOf('a.yaml', `key: ${text}`, valuesWith({}, description)).map(({ path }) => path)
    expect(rules('{{ values.description }}', '')).toStrictEqual([])
    expect(rules('{{ values.description }}', 'Gives money back')).toStrictEqual([])
    expect(rules('{{ values.description }}', '12')).toStrictEqual([])
    expect(rules('{{ values.description }}', 'a: b')).toStrictEqual(['/description'])
    expect(rules('"{{ values.description }}"', 'the "best"')).toStrictEqual(['/description'])
  })
})

describe('in JSON a text stays in its quotes', () => {
  test.each<readonly [string, string, readonly string[]]>([
    ['{ "a": "{x}" }', "it's: [a] {b}", []],
    ['{\n\t"a": ["{x}"]\n}', 'a', []],
    ['{ "a": "{x}" }', '', []],
    ['{ "a": "{x}" }', 'a", "b": "c', BROKEN],
    ['{ "a": "{x}" }', 'a\\', BROKEN],
    ['{ "a": "{x}" }', '\\u0041', BROKEN],
    ['{ "{x}": 1, "b": 2 }', 'b', BROKEN],
    ['{ "a": {x} }', '1, "b": 2', ['code_text /parameters/x']],
    ['// comment\n{ "a": "{x}" }', 'a", "b": "c', ['code_text /parameters/x']],
  ])('%p and %p: %p', (text, value, rules) => {
    expect(rulesOf('a.json', text, value)).toStrictEqual([...rules])
  })
})

describe('in code a text has no character with a meaning', () => {
  const words = ['shop', 'ghcr.io/acme/shop:1.0', '@acme/payments', 'a,c_d', 'Größe-10', '']
  const several = ['@acme/payments @acme/ops', 'a=b', 'x --privileged', 'FOO=1 sh']
  const harmless = [...words, ...several]
  const harmful = [
    'a"b',
    "it's",
    'a;b',
    'a`b`',
    '$(b)',
    'a|b',
    'a&b',
    'a<b>',
    'a\\',
    '#a',
    '{{ a }}',
    '-rf',
    ' a',
    'a\u202eb',
    '*',
    'a?',
    '(a)',
    'a%',
  ]
  /** No text that could be more than one value there. */
  const UNREADABLE = ['chart/templates/a.yaml', 'cloud.yaml']
  const places: readonly (readonly [string, string])[] = [
    ['Dockerfile', 'LABEL x="{x}"'],
    ['run.sh', 'echo "{x}"'],
    ['action.yml', 'run: echo "{x}"'],
    ['src/main.ts', 'const x = "{x}"'],
    ['requirements.txt', '"{x}"'],
    ['index.html', '<p>{x}</p>'],
    ['chart/templates/a.yaml', '{{- if .Values.a }}\na: "{x}"\n{{- end }}'],
    ['cloud.yaml', 'a: !Ref "{x}"'],
    ['.github/workflows/ci.yaml', 'run: echo "{x}"'],
    ['.gitlab-ci.yml', 'script: ["echo \'{x}\'"]'],
    ['deploy/azure-pipelines.yml', 'script: "echo \'{x}\'"'],
    ['config.yaml', 'data: |\n  a "{x}"'],
  ]
  test.each(places)('%s', (path, text) => {
    for (const value of harmless) {
      // A pipeline has both rules: there the empty text and a list in quotes are judged by their place.
      const isRefused = UNREADABLE.includes(path) && value.includes(',')
      expect(rulesOf(path, text, value)).toStrictEqual(isRefused ? BROKEN : [])
    }
    for (const value of harmful)
      expect(rulesOf(path, text, value)).toContain('code_text /parameters/x')
  })

  test.each<readonly [string, string, readonly number[]]>([
    ['run.sh', 'deploy {x}', [1]],
    ['run.sh', 'set -e\ndeploy "{x}"\ndeploy "a" {x} "b"', [3]],
    ['run.sh', 'deploy "to $HOME/{x} as $(id)"', []],
    ['run.sh', 'deploy "$(find {x})"', [1]],
    ['run.sh', 'deploy "`find {x}`"', [1]],
    ['run.sh', "echo 'a\\' {x} 'b'", [1]],
    ['run.sh', 'echo "a\\n{x}"', []],
    ['run.sh', 'echo "\n{x}\n"', [2]],
    ['run.sh', "# don’t and don't {x}", [1]],
    ['run.sh', 'echo "a\nb" {x} "c\nd"\necho "{x}"', [2]],
    ['run.sh', "awk '\n{ print }\n' {x} 'a'\necho '{x}'", [3]],
    ['run.sh', "# don't\necho '{x}'", []],
    ['Dockerfile', 'RUN sh -c "make; \\\n  make" {x} "a"', [2]],
    ['main.py', 'def f():\n  """Text\n  of f\n  """\n  return "{x}"', []],
    ['index.html', '<p>5" wide\n<b>{x}</b>\n"{x}"', []],
    ['Makefile', 'X = {x}\nY = "{x}"', [1]],
    ['Dockerfile', 'RUN make {x}', [1]],
    ['CODEOWNERS', '* {x}', [1]],
    ['.env', 'A={x}\nB="{x}"', [1]],
    ['main.ts', 'const x = `{x}`', [1]],
    ['index.html', '<p class={x} title="{x}">don\'t {x} <b>{x}</b></p>', [1]],
    ['index.html', '<script>x = {x}</script>', [1]],
    ['index.html', '<h1>{x}</h1>', []],
    ['.github/workflows/ci.yaml', 'a: b\nrun: "deploy {x}"', [2]],
    ['.github/workflows/ci.yaml', 'run: deploy "{x}"', []],
    ['.github/workflows/ci.yaml', 'a: 1\nrun: |\n  set -e\n  deploy {x}\n  deploy "{x}"', [4]],
    ['.github/workflows/ci.yaml', '# {x}\nenv: 1', []],
    ['config.yaml', 'a: {x}\nb: |\n  deploy {x}', [3]],
    ['config.yaml', 'a: {x}', []],
    ['a.json', '{"a": "{x}"}', []],
    ['chart/a.yaml', '{{- if .Values.on }}\na: {x}\nb: "{x}"\n{{- end }}', [2]],
    ['docs/README.md', 'deploy {x}', []],
  ])('spaces and = only in quotes: %s %j', (path, text, lines) => {
    const values = valuesWith({ x: 'x' })
    expect(unquotedIn(path, source(text), values)).toStrictEqual(
      lines.map((line) => ({ name: 'x', line })),
    )
    for (const value of several) {
      const rules = rulesOf(path, text, value).filter((rule) => rule.startsWith('code_text'))
      expect(rules).toStrictEqual(lines.length === 0 ? [] : ['code_text /parameters/x'])
    }
    expect(rulesOf(path, text, 'x')).toStrictEqual([])
  })

  test('a word of the file never makes the others longer', () => {
    const text = `PorticoText${'x'.repeat(500_000)}\n${'{x}'.repeat(6_000)}`
    expect(rulesOf('run.sh', text, 'a b')).toStrictEqual(['code_text /parameters/x'])
  })

  test('a tag without an end costs no more than a line without tags', () => {
    const usedMs = (path: string) => {
      const before = process.threadCpuUsage()
      rulesOf(path, `${'>'.repeat(300_000)}{x}`, 'a b')
      return process.threadCpuUsage(before).user / 1_000
    }
    usedMs('run.sh')
    expect(usedMs('index.html')).toBeLessThan(50 * usedMs('run.sh'))
  })

  test('prose takes everything', () => {
    for (const value of [...harmless, ...harmful]) {
      expect(rulesOf('docs/README.md', '# {x}', value)).toStrictEqual([])
    }
  })

  test('says which file, and what is allowed', () => {
    expect(misfitsOf('run.sh', source('{x}'), valuesWith({ x: '$(b)' }))).toStrictEqual([
      {
        path: '/parameters/x',
        rule: 'code_text',
        message:
          'becomes a part of code in run.sh: letters, digits, spaces and . , _ + = / : @ -, such as @acme/payments',
      },
    ])
  })

  test('the description is as free there as it was before there were parameters', () => {
    const values = valuesWith({}, '`It\'s` "quick"')
    expect(misfitsOf('main.ts', '// {{ values.description }}', values)).toStrictEqual([])
  })
})

test.each<readonly [string, boolean]>([
  ['orders-v2', true],
  ['a.b_c', true],
  ['', false],
  ['..', false],
  ['.github', false],
  ['a/b', false],
  ['a b', false],
  ['ä', false],
])('%p as a part of a file name: %p', (value, isFit) => {
  const faults = nameMisfits(source('src/{x}/main.ts'), valuesWith({ x: value }))
  expect(faults.map(({ rule }) => rule)).toStrictEqual(isFit ? [] : ['file_name'])
})

const MARKS = [
  'a',
  'b',
  ' ',
  ':',
  ': ',
  '#',
  ' #',
  '- ',
  '"',
  "'",
  '\\',
  '[',
  ']',
  '{',
  '}',
  ',',
  '&a',
  '*a',
  '!',
  '|',
  '>',
  '%',
  '@',
  '`',
  '---',
  '...',
  '? ',
  '<<',
  '~',
  'null',
  'on',
  '1',
  '.5',
  '0x',
  '{{',
  '}}',
  '$',
  '\\u0041',
  '\\n',
  'é',
  '\u00a0',
  '\u202e',
]

describe('whatever a text is, rendered YAML has the structure of its template, or is refused', () => {
  const hostile = fc.oneof(
    fc.string({ maxLength: 12 }),
    fc.array(fc.constantFrom(...MARKS), { maxLength: 6 }).map((parts) => parts.join('')),
  )
  const templates = [
    'a: {x}\nb: [{y}, c]\n',
    'a: "{x}"\nb: \'{y}\'\nc: d\n',
    '{x}: 1\nb: {c: {y}}\n',
    'a: pre{x}post {y}\n',
    '- {x}\n- - {y}\n',
    '{x}\n',
    'a: &n {x}\nb: *n\nc: "{y}{x}"\n',
    'a:\n  b: {x} # {y}\nc: 1\n',
    'a: |\n  {x}\n   {y}\nb: 1\n',
    'a: >-\n  one {x}\n  {y}\n\nb: 1\n',
    'a: {x}{y}\n---\nb: "{y}"\n',
  ]
  /** Like the reader, but another one: values and not events. */
  const valueOf = (text: string): unknown => {
    const documents = text.split(/^---\n/m)
    return documents.map((document) => load(document))
  }
  const replaced = (value: unknown, texts: Readonly<Record<string, string>>): unknown => {
    if (typeof value === 'string') {
      return value.replaceAll(/MARK([xy])/g, (_, name: string) => texts[name] ?? '')
    }
    if (Array.isArray(value)) return value.map((item) => replaced(item, texts))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [
        replaced(key, texts) as string,
        replaced(item, texts),
      ]),
    )
  }

  test('and every text is read as what was asked for', () => {
    let accepted = 0
    fc.assert(
      fc.property(fc.constantFrom(...templates), hostile, hostile, (text, x, y) => {
        const values = valuesWith({ x, y })
        fc.pre(!/[\p{Cc}\p{Cs}\u2028\u2029\ufeff\ufffe\uffff]/u.test(x + y))
        if (misfitsOf('a.yaml', source(text), values).length > 0) return
        accepted++
        const rendered = substitute(source(text), (name) => values.get(name)?.text)
        const meant = replaced(valueOf(text.replaceAll(/\{([xy])\}/g, 'MARK$1')), { x, y })
        expect(valueOf(rendered)).toEqual(meant)
        expect(Bun.YAML.parse(rendered.split(/^---\n/m)[0] ?? '')).toEqual((meant as unknown[])[0])
      }),
      { numRuns: 2_000 },
    )
    expect(accepted).toBeGreaterThan(300)
  })
})
