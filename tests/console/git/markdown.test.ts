import { describe, expect, test } from 'bun:test'
import { markdown } from '#src/console/git/markdown/index.ts'
import { type Home, targetOf } from '#src/console/git/markdown/target.ts'
import { BranchName, RepositoryPart, RepositoryPath } from '#src/lib/names.ts'
import { foreignMarkup } from '#tests/support/page-markup.ts'

const home: Home = {
  id: { owner: RepositoryPart.of('acme'), name: RepositoryPart.of('gitops') },
  ref: BranchName.of('main'),
  path: RepositoryPath.of('docs/README.md'),
}

describe('links of a document', () => {
  // prettier-ignore
  test.each([
    ['https://example.org/a',      'https://example.org/a'],
    ['HTTP://EXAMPLE.org',         'http://example.org/'],
    ['#usage',                     '#readme-usage'],
    ['setup.md',                   '/git/acme/gitops/blob/main/docs/setup.md'],
    ['./setup.md#L3',              '/git/acme/gitops/blob/main/docs/setup.md#L3'],
    ['../CODEOWNERS',              '/git/acme/gitops/blob/main/CODEOWNERS'],
    ['/catalog/',                  '/git/acme/gitops/blob/main/catalog'],
    ['a%20b.md',                   '/git/acme/gitops/blob/main/docs/a%20b.md'],
    ['../../../etc/passwd',        undefined],
    ['%2e%2e/%2e%2e/%2e%2e/x',     undefined],
    ['javascript:alert(1)',        undefined],
    [' javascript:alert(1)',       undefined],
    ['data:text/html,x',           undefined],
    ['//evil.example/x',           '/git/acme/gitops/blob/main/evil.example/x'],
    ['https://user@evil.example/', undefined],
    ['https://[broken',            undefined],
    ['.git/config',                undefined],
    ['?a=b',                       undefined],
    ['',                           '/git/acme/gitops/blob/main/docs'],
    [`https://a.b/${'x'.repeat(2_000)}`, undefined],
    [null,                         undefined],
  ])('%j leads to %j', (href, target) => {
    expect(targetOf(href, home)?.href).toBe(target)
  })

  test('without a repository lead to the web alone', () => {
    expect(targetOf('setup.md', null)).toBeUndefined()
    expect(targetOf('https://example.org', null)).toStrictEqual({
      href: 'https://example.org/',
      isElsewhere: true,
    })
  })
})

describe('Markdown', () => {
  const rendered = (text: string) =>
    markdown(text, home)
      .toString()
      .replaceAll(/\s*\n\s*/g, '')
      .replaceAll(/\s+>/g, '>')

  // prettier-ignore
  test.each([
    ['# Title',              '<h3 class="prose-title" id="readme-title">Title</h3>'],
    ['#### Deep',            '<h4 id="readme-deep">Deep</h4>'],
    ['a **b** *c* `d` ~~e~~', '<p>a <strong>b</strong> <em>c</em> <code>d</code> <del>e</del></p>'],
    ['- [x] a\n- b',         '<ul><li>☑ a</li><li>b</li></ul>'],
    ['3. a',                 '<ol start="3"><li>a</li></ol>'],
    ['```ts\na < b\n```',    '<pre tabindex="0"><code>a &lt; b</code></pre>'],
    ['> a',                  '<blockquote><p>a</p></blockquote>'],
    ['[a](https://a.b)',     '<p><a href="https://a.b/" rel="noopener noreferrer">a</a></p>'],
    ['[a](javascript:b)',    '<p>a</p>'],
    ['![a](https://a.b/c)',  '<p><span class="muted">Picture: a</span></p>'],
    ['<b onclick=x>a</b>',   '<p>&lt;b onclick=x&gt;a&lt;/b&gt;</p>'],
    ['&lt;b&gt; &amp;',      '<p>&lt;b&gt; &amp;</p>'],
  ])('%j', (text, expected) => {
    expect(rendered(text)).toBe(`<div class="prose">${expected}</div>`)
  })

  test.each([
    ['quotes', '>'.repeat(100_000)],
    ['brackets', '['.repeat(100_000)],
    ['lists', Array.from({ length: 500 }, (_, depth) => `${'  '.repeat(depth)}- a`).join('\n')],
    ['emphasis', '*a **a '.repeat(10_000)],
    ['comments', '<!--'.repeat(10_000)],
    ['links in links', '[a](<b'.repeat(10_000)],
  ])('a document of many %s is rendered, without foreign markup', async (_, text) => {
    expect(await foreignMarkup(markdown(text).toString())).toStrictEqual([])
  })

  test.each([
    ['plain', '|', '\n', 'a'],
    ['of carriage returns', '|', '\r', 'a'],
    ['quoted', '> |', '\n', 'a'],
    ['whose rows look empty', '|', '\n', '\u00a0'],
  ])('a table, %s, of a small text has no million cells', (_, start, end, row) => {
    const table = (rows: number) =>
      [`${start}${'a|'.repeat(100)}`, `${start}${'-|'.repeat(100)}`]
        .concat(Array.from({ length: rows }, () => start.replace('|', '') + row))
        .join(end)
    expect(rendered(table(100))).toContain('<table>')
    expect(rendered(table(500)).length).toBeLessThan(10_000)
  })
})
