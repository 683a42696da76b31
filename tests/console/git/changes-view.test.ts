import { describe, expect, test } from 'bun:test'
import { changesView } from '#src/console/git/changes-view.ts'
import { attributesOf, foreignMarkup, textsOf } from '#tests/support/page-markup.ts'

const modified = (rawPath: string, additions: number | null = 1, deletions: number | null = 1) =>
  ({ rawPath, change: 'modified', additions, deletions }) as const

const section = (name: string, ...lines: readonly string[]) =>
  [
    `diff --git a/${name} b/${name}`,
    `--- a/${name}`,
    `+++ b/${name}`,
    '@@ -1 +1 @@',
    ...lines,
    '',
  ].join('\n')

const view = (
  files: readonly ReturnType<typeof modified>[],
  text: string,
  truncated = false,
): string => changesView({ files, diff: { text, truncated } }).toString()

describe('changed files', () => {
  test('have each its part of the diff', async () => {
    const page = view(
      [modified('a'), modified('b')],
      section('a', '-old', '+new') + section('b', '--- looks like a header', '+++ so does this'),
    )
    expect(await textsOf(page, 'summary code')).toStrictEqual(['a', 'b'])
    expect(await attributesOf(page, 'pre', 'aria-label')).toStrictEqual([
      'Changes in a',
      'Changes in b',
    ])
    expect(await textsOf(page, '.diff-del')).toStrictEqual(['-old', '--- looks like a header'])
    expect(await textsOf(page, '.diff-add')).toStrictEqual(['+new', '+++ so does this'])
    expect(await textsOf(page, '.changes-sum')).toStrictEqual(['2 files changed, +2 −2'])
  })

  test('are named apart from the diff when one of them has two parts', async () => {
    const page = view([modified('link')], section('link', '-a') + section('link', '+b'))
    expect(await textsOf(page, 'details')).toStrictEqual([])
    expect(await textsOf(page, '.row code')).toStrictEqual(['link'])
    expect(await textsOf(page, '.diff-add')).toStrictEqual(['+b'])
  })

  test('that are binary, or have no lines, say so', async () => {
    const mode = 'diff --git a/m b/m\nold mode 100644\nnew mode 100755\n'
    const page = view(
      [modified('b', null, null), modified('m', 0, 0)],
      `diff --git a/b b/b\n${mode}`,
    )
    expect(await textsOf(page, '.foot')).toStrictEqual([
      'Binary files are not compared.',
      'No line of it is shown: old mode 100644, new mode 100755',
    ])
  })

  test('beyond what a page shows are counted, and a diff that is cut off is one', async () => {
    const lines = Array.from({ length: 20_000 }, () => '+x')
    const long = view([modified('a'), modified('b')], section('a', ...lines))
    expect(long.split('+x').length).toBeLessThan(8_100)
    expect(await textsOf(long, '.foot')).toContain('The diff is cut off here: it is too long.')
    const short = view([modified('a')], section('a', '+x'), true)
    expect(await textsOf(short, '.foot')).toContain('The diff is cut off here: it is too long.')
    const many = Array.from({ length: 310 }, (_, index) => modified(`f${index}`))
    const page = view(many, many.map(({ rawPath }) => section(rawPath, '+x')).join(''))
    expect(await textsOf(page, 'summary code')).toHaveLength(300)
    expect(await textsOf(page, '.foot')).toContain('10 further files left out.')
  })

  test('are text, whatever their names', async () => {
    const name = '"><img src=x onerror=alert(1)>\u202e'
    const page = view([modified(name)], section(name, `+${name}`))
    expect(await foreignMarkup(page)).toStrictEqual([])
    expect(page.includes('\u202e')).toBe(false)
  })
})
