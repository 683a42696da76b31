import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  AnyCaseLabel,
  BranchName,
  EntityKind,
  Label,
  ObjectId,
  parseRepositoryId,
  RepositoryPart,
  RepositoryPath,
} from '#src/lib/names.ts'

const CASES = [
  [
    'Label',
    Label,
    ['a', 'a-b', '0', 'x'.repeat(63)],
    ['', '-a', 'a-', 'A', 'a.b', 'a/b', '..', 'a\n', 'x'.repeat(64)],
  ],
  ['AnyCaseLabel', AnyCaseLabel, ['A', 'Payments-API'], ['', 'a_b', '-A', 'é', 'a\n']],
  ['EntityKind', EntityKind, ['API', 'component', 'X1'], ['', '1x', 'a-b', 'a/b', 'x'.repeat(64)]],
  [
    'RepositoryPart',
    RepositoryPart,
    ['acme', 'a.b', '_a', 'A-1'],
    ['', '.', '..', '-a', '.git', 'a.git', 'a.wiki', 'a/b', 'a b', 'é', 'a\n', 'x'.repeat(101)],
  ],
  [
    'ObjectId',
    ObjectId,
    ['0'.repeat(40), 'abcdef0123'.repeat(4)],
    ['', 'HEAD', '0'.repeat(39), 'G'.repeat(40), 'A'.repeat(40)],
  ],
  [
    'BranchName',
    BranchName,
    ['main', 'promote/payments/payments-api/staging', 'a@b', 'x_y.z'],
    [
      '',
      '-x',
      'HEAD',
      '@',
      'a..b',
      'a.lock',
      'a/.b',
      'a//b',
      '/a',
      'a/',
      'a.',
      'refs/heads/x',
      'a@{1}',
      'a b',
      'a\n',
      'a~1',
      'a^',
      'a:b',
    ],
  ],
  [
    'RepositoryPath',
    RepositoryPath,
    [
      'a',
      'a/b.yaml',
      '.github/workflows/ci.yml',
      '.gitignore',
      'a b/c',
      '...x',
      '[kind]/{{ values.appName }}.ts',
      '$x',
      'a%b',
    ],
    [
      '',
      '.',
      '..',
      'a/../b',
      './a',
      '/a',
      'a/',
      'a//b',
      '.git',
      'a/.git/config',
      '.GIT/x',
      'git~1/x',
      'a.',
      'a ',
      'a\\b',
      'a:b',
      'a*',
      'a?',
      '"a"',
      '<a>',
      'a|b',
      'é',
      'a\nb',
      'a\0b',
      'x'.repeat(201),
    ],
  ],
] as const

describe.each(CASES)('%s', (_, name, good, bad) => {
  test.each(good)('takes %p', (text) => {
    expect<string | undefined>(name.parse(text)).toBe(text)
  })

  test.each(bad)('refuses %p', (text) => {
    expect(name.parse(text)).toBeUndefined()
  })

  test('refuses what is no text', () => {
    for (const value of [undefined, null, 1, true, [], {}, ['a']])
      expect(name.parse(value)).toBeUndefined()
  })
})

test('a repository is owner/name', () => {
  expect(parseRepositoryId('acme/gitops')).toStrictEqual({ owner: 'acme', name: 'gitops' } as never)
  expect(parseRepositoryId('acme/platform/gitops')).toStrictEqual({
    owner: 'acme/platform',
    name: 'gitops',
  } as never)
  for (const text of [
    '',
    'acme',
    'acme/',
    '/gitops',
    '//gitops',
    'acme//gitops',
    '/acme/gitops',
    'acme/../gitops',
    'acme/x.git/gitops',
    'acme/.hidden/gitops',
    `${'a/'.repeat(21)}gitops`,
    'acme/..',
    '../gitops',
    'a b/c',
  ]) {
    expect(parseRepositoryId(text)).toBeUndefined()
  }
})

test('no path that is taken leaves its folder, as a URL or as a file', () => {
  const segment = fc.constantFrom(
    '..',
    '.',
    '.git',
    'a',
    'b.yaml',
    '%2e%2e',
    '',
    ' ',
    'x..',
    '~',
    'git~1',
    '\\',
    'é',
  )
  fc.assert(
    fc.property(fc.array(segment, { maxLength: 6 }), (segments) => {
      const path = RepositoryPath.parse(segments.join('/'))
      if (path === undefined) return
      const url = new URL(
        path.split('/').map(encodeURIComponent).join('/'),
        'http://host/repos/a/b/',
      )
      expect(url.pathname.startsWith('/repos/a/b/')).toBe(true)
      expect(path.split('/').every((part) => part !== '' && part !== '.' && part !== '..')).toBe(
        true,
      )
    }),
    { numRuns: 2_000 },
  )
})
