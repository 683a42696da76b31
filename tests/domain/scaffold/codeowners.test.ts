import { describe, expect, test } from 'bun:test'
import { codeownersFor, withCodeowners } from '#src/lib/domain/scaffold/codeowners.ts'
import { RepositoryPart, TeamName } from '#src/lib/names.ts'
import { path } from '#tests/support/portal.ts'

const LINE = '* @acme/payments\n'

describe('the CODEOWNERS file of a new repository', () => {
  test.each([
    ['* @{org}/{team}', LINE],
    ['.* @{org}/{team} @{org}/{team}-leads', '.* @acme/payments @acme/payments-leads\n'],
    ['* ann@example.org', '* ann@example.org\n'],
    ['', ''],
  ])('%p', (line, content) => {
    const made = codeownersFor(line, RepositoryPart.of('acme'), TeamName.of('payments'))
    expect(made).toBe(content)
  })

  const pathsWith = (names: readonly string[], content = LINE) => {
    const files = names.map((name) => ({
      kind: 'write' as const,
      path: path(name),
      bytes: new Uint8Array(),
    }))
    return withCodeowners(files, content).map((file) => String(file.path))
  }

  test('comes among the files of the template, in order', () => {
    expect(pathsWith(['.gitignore', 'README.md'])).toStrictEqual([
      '.gitignore',
      'CODEOWNERS',
      'README.md',
    ])
    expect(pathsWith(['README.md'], '')).toStrictEqual(['README.md'])
  })

  test.each([
    'CODEOWNERS',
    '.github/CODEOWNERS',
    'docs/CODEOWNERS',
    '.gitea/CODEOWNERS',
    '.forgejo/CODEOWNERS',
    'CODEOWNERS/README.md',
  ])('is left to a template that has %s', (name) => {
    expect(pathsWith([name])).toStrictEqual([name])
  })
})
