import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { RepositoryId } from '#src/lib/names.ts'
import { parseRepositoryId } from '#src/lib/names.ts'
import { makeRepository } from '#tests/support/made-repositories.ts'
import { outcomeOf } from '#tests/support/outcome.ts'
import { component, openPortal } from '#tests/support/portal.ts'

const named = (text: string): RepositoryId => {
  const id = parseRepositoryId(text)
  if (id === undefined) throw new Error(`not a repository: ${text}`)
  return id
}

const withRepository = (name: string, repository: string) =>
  component(name).replace(
    `  name: ${name}\n`,
    `  name: ${name}\n  annotations: { portico/repository: '${repository}' }\n`,
  )
const api = (name: string, type: string, definition: string) =>
  JSON.stringify({
    apiVersion: 'portico/v1',
    kind: 'API',
    metadata: { name },
    spec: { type, lifecycle: 'development', owner: 'group:acme/payments', definition },
  })

const PICTURE = new Uint8Array([0x89, 0x50, 0x4e, 0x47])
const portal = await openPortal({
  files: {
    'catalog/payments/shop.yaml': withRepository('shop', 'acme/shop'),
    'catalog/payments/bare.yaml': withRepository('bare', 'acme/bare'),
    'catalog/payments/many.yaml': withRepository('many', 'acme/many'),
    'catalog/payments/marked.yaml': withRepository('marked', 'acme/marked'),
    'catalog/payments/headings.yaml': withRepository('headings', 'acme/headings'),
    'catalog/payments/odd-texts.yaml': withRepository('odd-texts', 'acme/odd-texts'),
    'catalog/payments/none.yaml': component('none'),
    'catalog/payments/gone.yaml': withRepository('gone', 'acme/gone'),
    'catalog/payments/spy.yaml': withRepository('spy', 'other/secret'),
    'catalog/payments/odd.yaml': withRepository('odd', '../acme/shop'),
    'catalog/payments/open.yaml': api('open', 'openapi', 'openapi: 3.1.0\n'),
    'catalog/payments/json.yaml': api('json', 'openapi', '{"openapi":"3.1.0"}'),
    'catalog/payments/graph.yaml': api('graph', 'graphql', 'type Query { a: Int }'),
    'catalog/payments/rpc.yaml': api('rpc', 'grpc', '<script>alert(1)</script>'),
  },
})
await makeRepository(portal.directory, named('acme/shop'), {
  'README.md': '# Shop #\n\nSells.\n',
  'docs/setup/install.md': 'No heading\n',
  'docs/a.md': 'Text first.\n\n# The letter A\n',
  'docs/page.md': '# Page\n\n[A](a.md) <script>alert(1)</script>\n',
  'docs/long.md': 'a\n\n'.repeat(50_000),
  'docs/logo.png': PICTURE,
  'docs/drawing.svg': '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
  'docs/secrets.env': 'PASSWORD=x',
  'src/deploy.md': '# Not shown\n',
})
await makeRepository(portal.directory, named('acme/bare'), { 'src/x.txt': 'x' })
await makeRepository(portal.directory, named('other/secret'), { 'README.md': '# Secret\n' })
afterAll(() => portal[Symbol.asyncDispose]())

const get = (path: string, headers: Record<string, string> = {}) =>
  portal.request(`/api/v1/catalog/entities/${path}`, { as: 'dev', headers })

describe('the pages of an entity', () => {
  test('are its README, and what is in docs', async () => {
    const response = await get('component/shop/docs')
    expect(await response.json()).toStrictEqual([
      { path: 'README.md', title: 'Shop', sizeBytes: 17 },
      { path: 'docs/a.md', title: 'The letter A', sizeBytes: 28 },
      { path: 'docs/long.md', title: 'docs/long.md', sizeBytes: 150_000 },
      { path: 'docs/page.md', title: 'Page', sizeBytes: 44 },
      { path: 'docs/setup/install.md', title: 'docs/setup/install.md', sizeBytes: 11 },
    ])
    const etag = response.headers.get('etag') ?? ''
    expect((await get('component/shop/docs', { 'if-none-match': etag })).status).toBe(304)
  })

  test('of a repository without any are none', async () => {
    expect(await (await get('component/bare/docs')).json()).toStrictEqual([])
  })

  test.each(['none', 'gone', 'spy', 'odd'])('of %s are not found', async (name) => {
    expect(await outcomeOf(await get(`component/${name}/docs`))).toBe('404 repository_not_found')
  })

  test('follow a push within half a minute', async () => {
    await get('component/bare/docs')
    await makeRepository(`${portal.directory}/next`, named('acme/bare'), { 'README.md': '# New\n' })
    const moved = Bun.spawnSync(
      ['git', 'fetch', '-q', '-f', `${portal.directory}/next/acme/bare.git`, 'main:main'],
      { cwd: `${portal.directory}/acme/bare.git` },
    )
    expect(moved.exitCode).toBe(0)
    expect(await (await get('component/bare/docs')).json()).toStrictEqual([])
    portal.clock.advance(31_000)
    expect(await (await get('component/bare/docs')).json()).toMatchObject([{ title: 'New' }])
  })
})

test('a heading of many spaces or marks has its title', async () => {
  const headings = [`Rules ${' '.repeat(6_000)}x`, '![*_'.repeat(2_000), 'The C# guide ##']
  const pages = headings.map((heading, at) => [`docs/${at}.md`, `# ${heading}\n`])
  await makeRepository(portal.directory, named('acme/headings'), Object.fromEntries(pages))
  const listed = await (await get('component/headings/docs')).json()
  expect(listed).toMatchObject([
    { title: 'Rules' },
    { title: expect.stringMatching(/^.{200}$/) },
    { title: 'The C# guide' },
  ])
})

describe('a search in the pages', () => {
  const search = (q: string) => get(`component/shop/docs?${new URLSearchParams({ q }).toString()}`)

  test.each([
    ['sells', [['README.md', 3, 'Sells.']]],
    ['THE LETTER', [['docs/a.md', 3, 'The letter A']]],
    ['<script>', [['docs/page.md', 3, 'A <script>alert(1)</script>']]],
    ['--open-files-in-pager=touch /tmp/x', []],
    ['-e', []],
    ['.*', []],
    [':(glob)**', []],
    ['PASSWORD', []],
    ['Not shown', []],
    ['PNG', []],
  ] as const)('for %p finds lines of listed pages alone', async (q, found) => {
    const pages = (await (await search(q)).json()) as Record<string, unknown>[]
    expect(pages.map(({ path, line, excerpt }) => [path, line, excerpt])).toStrictEqual(
      found.map((one) => [...one]),
    )
  })

  test.each(['', 'a\nb', 'a\0', '\u001b[1m', 'x'.repeat(201)])('for %j is refused', async (q) => {
    expect(await outcomeOf(await search(q))).toBe('422 validation_failed')
  })

  describe('of odd texts', () => {
    const line = String.raw`^C:\Evil\E( [a]* (b+)+$ \Q.\d{2} a|b? (*NO_JIT)x`
    beforeAll(() =>
      makeRepository(portal.directory, named('acme/odd-texts'), {
        'docs/B.md': `C:vil ab bb 12 x\n${line}\n`,
        'docs/a.md': `${'\u0130'.repeat(300)} needle\n`,
        'docs/c.md': 'Needle\n',
      }),
    )
    const found = async (q: string) => {
      const query = new URLSearchParams({ q }).toString()
      const response = await get(`component/odd-texts/docs?${query}`)
      return (await response.json()) as { path: string; line: number; excerpt: string }[]
    }

    test.each([
      [line, 2],
      [String.raw`c:\evil`, 2],
      [String.raw`\E(`, 2],
      [String.raw`\E`, 2],
      [String.raw`\E(b+)+$`, null],
      [String.raw`\Evil.*x`, null],
      [String.raw`\Q.\D{2}`, 2],
      ['[ab]', null],
      ['[A]*', 2],
      ['^c', 2],
      ['+$', 2],
      ['(*NO_JIT)x', 2],
      ['(*NO_JIT)ab', null],
    ])('%p is no pattern', async (q, at) => {
      const lines = (await found(q)).map((page) => page.line)
      expect(lines).toStrictEqual(at === null ? [] : [at])
    })

    test('pages are in the order of their list, each with its text', async () => {
      const pages = await found('NEEDLE')
      expect(pages.map(({ path, excerpt }) => [path, excerpt])).toStrictEqual([
        ['docs/a.md', 'needle'],
        ['docs/c.md', 'Needle'],
      ])
      expect((await found('e')).map(({ path }) => path)).toStrictEqual([
        'docs/a.md',
        'docs/B.md',
        'docs/c.md',
      ])
    })
  })

  test('shows the text of a line, without the marks of Markdown', async () => {
    const lines = [
      ['**A** `posting` is [never](a.md) changed.', 'A posting is never changed.'],
      ['| Posting | **final** |', 'Posting · final'],
      ['- [ ] ![Two rows](rows.png) for a posting', 'Two rows for a posting'],
      ['[Rules](https://posting.example)', 'Rules'],
      ['```posting', '```posting'],
      ['    posting(**rest)', 'posting(**rest)'],
    ] as const
    const pages = lines.map(([line], at) => [`docs/${at}.md`, `# **Page** \`${at}\`\n\n${line}\n`])
    await makeRepository(portal.directory, named('acme/marked'), Object.fromEntries(pages))
    const found = await (await get('component/marked/docs?q=posting')).json()
    expect(found).toMatchObject(lines.map(([, excerpt], at) => ({ title: `Page ${at}`, excerpt })))
  })

  test('gives the part of a long line around the text, of twenty pages at most', async () => {
    const many = Array.from({ length: 25 }, (_, at) => [`docs/${at}.md`, 'needle\n'] as const)
    await makeRepository(portal.directory, named('acme/many'), {
      'README.md': `${'é'.repeat(100)} A needle ${'ü'.repeat(1_000)}\n\nneedle\n`,
      'docs/binary.md': new Uint8Array([0, ...new TextEncoder().encode('needle')]),
      ...Object.fromEntries(many),
    })
    const response = await get('component/many/docs?q=NEEDLE')
    const pages = (await response.json()) as { excerpt: string }[]
    expect(pages).toHaveLength(20)
    const [{ excerpt } = { excerpt: '' }] = pages
    expect(excerpt).toStartWith('A needle ü')
    expect(excerpt).toHaveLength(160)
  })
})

describe('a page', () => {
  test('is its text, which no browser takes for a page', async () => {
    const response = await get('component/shop/docs/docs/a.md')
    expect(await response.text()).toBe('Text first.\n\n# The letter A\n')
    expect(response.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
    expect(response.headers.get('content-security-policy')).toContain('sandbox')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('x-catalog-file-url')).toMatch(
      /\/acme\/shop\/blob\/[0-9a-f]{40}\/docs\/a\.md$/,
    )
    const etag = response.headers.get('etag') ?? ''
    const again = await get('component/shop/docs/docs/a.md', { 'if-none-match': etag })
    expect(again.status).toBe(304)
  })

  test('is a tree for those who ask for one, with HTML as text', async () => {
    const asJson = { accept: 'application/json' }
    const response = await get('component/shop/docs/docs/page.md', asJson)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(response.headers.get('vary')).toContain('accept')
    expect(await response.json()).toStrictEqual({
      nodes: [
        { type: 'h1', properties: { id: 'page' }, children: ['Page'] },
        {
          type: 'p',
          properties: {},
          children: [
            { type: 'a', properties: { href: 'a.md' }, children: ['A'] },
            ' <script>alert(1)</script>',
          ],
        },
      ],
      truncated: false,
    })
    const etag = response.headers.get('etag') ?? ''
    const same = await get('component/shop/docs/docs/page.md', { ...asJson, 'if-none-match': etag })
    expect(same.status).toBe(304)
    const text = await get('component/shop/docs/docs/page.md', { 'if-none-match': etag })
    expect(text.status).toBe(200)
    await text.body?.cancel()
    const long = await get('component/shop/docs/docs/long.md', asJson)
    expect(await long.json()).toMatchObject({ truncated: true })
  })

  test('has pictures, and those that could run are downloads', async () => {
    const picture = await get('component/shop/docs/docs/logo.png')
    expect(picture.headers.get('content-type')).toBe('image/png')
    expect(new Uint8Array(await picture.arrayBuffer())).toStrictEqual(PICTURE)
    const drawing = await get('component/shop/docs/docs/drawing.svg')
    expect(drawing.headers.get('content-disposition')).toBe('attachment')
    await drawing.body?.cancel()
  })

  test.each([
    'docs/none.md',
    'docs/secrets.env',
    'src/deploy.md',
    'docs/..%2Fsrc%2Fdeploy.md',
    'docs/%2e%2e/src/deploy.md',
    '.git/config',
    'readme.md',
    'docs/%25zz',
  ])('%s is not shown', async (path) => {
    const response = await get(`component/shop/docs/${path}`)
    expect(response.status).toBe(404)
    await response.body?.cancel()
  })
})

test('an entity names its repository at the git host, if it may be shown', async () => {
  const [shop, spy] = await Promise.all([get('component/shop'), get('component/spy')])
  expect(shop.headers.get('x-repository-url')).toEndWith('/acme/shop')
  expect(spy.headers.get('x-repository-url')).toBeNull()
})

test.each([
  ['open', 'application/yaml; charset=utf-8'],
  ['json', 'application/json; charset=utf-8'],
  ['graph', 'application/graphql; charset=utf-8'],
  ['rpc', 'text/plain; charset=utf-8'],
])('the definition of %s is %s', async (name, type) => {
  const response = await get(`api/${name}/definition`)
  expect([response.status, response.headers.get('content-type')]).toStrictEqual([200, type])
  await response.body?.cancel()
})

test('a component has no definition, and an entity that is not there has nothing', async () => {
  expect(await outcomeOf(await get('component/shop/definition'))).toBe('404 doc_not_found')
  expect(await outcomeOf(await get('api/none/definition'))).toBe('404 entity_not_found')
  expect(await outcomeOf(await get('component/shopp/docs'))).toBe('404 entity_not_found')
  expect(await outcomeOf(await get('component/shopp/docs/README.md'))).toBe('404 entity_not_found')
})

test('a path that is encoded badly is refused, and no failure of ours', async () => {
  for (const path of ['docs/%zz.md', 'docs/%E0%A4%A']) {
    const response = await get(`component/shop/docs/${path}`)
    expect([400, 404]).toContain(response.status)
    await response.body?.cancel()
  }
})
