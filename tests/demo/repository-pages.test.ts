import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { type Demo, git, openDemo, type Visitor } from './open-demo.ts'
import { attributesOf, foreignMarkup, textsOf } from '#tests/support/page-markup.ts'

const GITOPS = '/git/acme/gitops'
const HTML = { accept: 'text/html' }

let demo: Demo
let dev: Visitor
beforeAll(async () => {
  demo = await openDemo()
  dev = await demo.signIn('dev')
})
afterAll(() => demo[Symbol.asyncDispose]())

const page = async (path: string): Promise<string> => {
  const response = await dev.get(path, HTML)
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}`)
  return response.text()
}

/** Pushes a commit of these files as the platform team, to a branch of the gitops repository. */
async function push(
  branch: string,
  message: string,
  write: (folder: string) => Promise<unknown>,
): Promise<string> {
  const folder = join(demo.directory, `clone-${branch}`)
  const run = async (...args: readonly string[]) => {
    const { stdout, stderr, exitCode } = await git(folder, ...args)
    if (exitCode !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`)
    return stdout.trim()
  }
  await mkdir(folder)
  await run('clone', '-q', `http://platform:demo@${demo.host}${GITOPS}.git`, '.')
  await run('checkout', '-q', '-b', branch)
  await write(folder)
  await run('add', '-A')
  await run('commit', '-q', '-m', message)
  await run('push', '-q', 'origin', branch)
  return run('rev-parse', 'HEAD')
}

describe('a repository', () => {
  test('is in the list, with its purpose, its last change and its open pull requests', async () => {
    const list = await page('/git')
    expect(await textsOf(list, '.list-what a')).toStrictEqual([
      'acme/cli',
      'acme/gitops',
      'acme/ledger',
      'acme/templates',
    ])
    expect(await textsOf(list, '.list-more')).toContain('Templates for new projects')
    expect(await textsOf(list, 'td.list-end')).toStrictEqual([
      '0 open pull requests',
      '2 open pull requests',
      '0 open pull requests',
      '0 open pull requests',
    ])
  })

  test('has a front page with files, README, clone address and pull requests', async () => {
    const front = await page(GITOPS)
    expect(await textsOf(front, '.list-what a')).toStrictEqual([
      '.github',
      'apps',
      'catalog',
      'CODEOWNERS',
      'README.md',
    ])
    expect(await textsOf(front, '.prose h3.prose-title')).toStrictEqual(['acme/gitops'])
    expect(await textsOf(front, '.command')).toStrictEqual([
      `git clone http://${demo.host}${GITOPS}.git`,
      `git config --global credential.${demo.url}.helper '!portico credential'`,
    ])
    expect(await textsOf(front, '.row-title')).toHaveLength(2)
  })

  test('has folders, of a branch with slashes and of a commit too', async () => {
    const folder = await page(`${GITOPS}/tree/main/catalog/payments/components`)
    const files = await attributesOf(folder, '.list-what a', 'href')
    expect(files[0]).toBe(`${GITOPS}/tree/main/catalog/payments`)
    expect(files).toContain(`${GITOPS}/blob/main/catalog/payments/components/payments-api.yaml`)
    const branch = `${GITOPS}/tree/shipping/label-printer-queue`
    expect(await textsOf(await page(`${branch}/catalog`), 'h1')).toStrictEqual(['gitops/catalog'])
    const [commit = ''] = await attributesOf(folder, '.last-subject', 'href')
    const files2 = await page(commit.replace('/commit/', '/tree/'))
    expect(await textsOf(files2, '.list-what a')).toContain('catalog')
  })

  test('has files with lines to link to', async () => {
    const file = `${GITOPS}/blob/HEAD/catalog/payments/components/payments-api.yaml`
    const shown = await page(file)
    expect((await textsOf(shown, '.code span')).slice(0, 3)).toStrictEqual([
      'apiVersion: portico/v1',
      'kind: Component',
      'metadata:',
    ])
    expect(await attributesOf(shown, '#L2 a', 'href')).toStrictEqual(['#L2'])
    expect(await textsOf(shown, '.picker-name')).toStrictEqual(['main'])
  })

  test('leads from a problem of the catalog to its line', async () => {
    const problems = (await (await dev.get('/api/v1/catalog/problems')).json()) as {
      readonly url: string | null
      readonly line: number | null
    }[]
    const located = problems.filter(({ line, url }) => line !== null && url !== null)
    expect(located.length).toBeGreaterThan(0)
    for (const { url, line } of located) {
      const { pathname, hash } = new URL(url ?? '')
      expect(hash).toBe(`#L${line}`)
      expect(await attributesOf(await page(pathname), hash, 'id')).toStrictEqual([`L${line}`])
    }
  })

  test('has the commits of a branch and of a path', async () => {
    const all = await textsOf(await page(`${GITOPS}/commits/main`), '.row-title')
    expect(all[0]).toBe('Merge pull request #1 from payments/ledger-contact')
    expect(all.at(-1)).toBe('Start the gitops repository')
    const some = await page(`${GITOPS}/commits/main/CODEOWNERS`)
    expect(await textsOf(some, '.row-title')).toStrictEqual(['Start the gitops repository'])
    const late = await page(`${GITOPS}/commits/main?page=3`)
    expect(await textsOf(late, '.empty-title')).toStrictEqual(['There are no commits here.'])
  })

  test('has a page for each commit, the first one and merges too', async () => {
    const commits = await attributesOf(await page(`${GITOPS}/commits/main`), '.row-title', 'href')
    const [merge = '', , before = ''] = commits
    const merged = await page(merge)
    expect(await textsOf(merged, '.diff summary code')).toStrictEqual([
      'catalog/payments/components/ledger.yaml',
    ])
    expect(await textsOf(merged, '.card .muted')).toStrictEqual([
      'A merge: the changes are those against its first parent.',
    ])
    expect(await textsOf(await page(before), '.message')).toStrictEqual([
      'The file of the warehouse feed was merged broken, and nobody saw it for two days.',
    ])
    const first = await page(commits.at(-1) ?? '')
    expect(await textsOf(first, '.diff summary code')).toContain('README.md')
    expect(await textsOf(first, '.facts dd')).toContain('none: the first commit')
  })

  test('has its branches, with what became of them', async () => {
    const branches = await page(`${GITOPS}/branches`)
    const names = await textsOf(branches, '.list-what a')
    expect(names).toContain('main')
    expect(names).toContain('payments/ledger-contact')
    expect(await textsOf(branches, 'td.list-end')).toContain('#2')
  })

  test.each([
    ['tree/nothing', 'There is no such branch or commit'],
    [`tree/${'0'.repeat(40)}`, 'There is no such commit'],
    [`commit/${'0'.repeat(40)}`, 'There is no such commit'],
    ['tree/main/nothing', 'There is no such file or folder'],
    ['tree/main/README.md', 'There is no such file or folder'],
    ['blob/main/nothing.yaml', 'There is no such file or folder'],
    ['blob/main/%2e%2e%2f%2e%2e%2fetc%2fpasswd', 'There is no such file or folder'],
    ['blob/main/.git/config', 'There is no such file or folder'],
    ['blob/main/%ff', 'There is no such file or folder'],
    ['blob/main/a%00b', 'There is no such file or folder'],
    ['blob/main//etc/passwd', 'There is no such file or folder'],
    ['commits/--all', 'There is no such branch or commit'],
  ])('has no %s', async (path, title) => {
    const response = await dev.get(`${GITOPS}/${path}`, HTML)
    expect([response.status, await textsOf(await response.text(), 'h1')]).toStrictEqual([
      404,
      [title],
    ])
  })

  test('a folder among the files is shown as one, and a file among the folders is not', async () => {
    const response = await dev.get(`${GITOPS}/blob/main/catalog`, HTML)
    expect([response.status, response.headers.get('location')]).toStrictEqual([
      303,
      `${GITOPS}/tree/main/catalog`,
    ])
  })
})

describe('what others pushed', () => {
  const HOSTILE = [
    '# <script>alert(1)</script>',
    '<img src=x onerror=alert(1)> <b>raw</b>',
    '[js](javascript:alert(1)) [data](data:text/html,x) [up](../../../../../etc/passwd)',
    '[web](https://example.org/a"b) [file](docs/a%20b.md#L3) [user](https://a:b@example.org)',
    '![pic](https://example.org/tracker.png)',
    '\u202egnp.exe\u0007',
    '| <i>a</i> |\n| - |\n| `<u>` |',
    '>'.repeat(20_000),
  ].join('\n\n')

  test('is text: names, contents, messages and README', async () => {
    const commit = await push(
      'hostile',
      '<script>alert(1)</script>\n\n\u202ebody <b>\n',
      async (folder) => {
        await Bun.write(join(folder, 'README.md'), HOSTILE)
        await Bun.write(join(folder, 'a<script>.txt'), '</code></pre><script>alert(1)</script>\n')
        await Bun.write(join(folder, 'with space.txt'), '\u001b[31mred\u202e\r\nnext\r\n')
      },
    )
    for (const path of [
      'tree/hostile',
      'blob/hostile/README.md',
      'blob/hostile/with%20space.txt',
      'commits/hostile',
      `commit/${commit}`,
      'branches',
      'pulls/new?head=hostile',
    ]) {
      const shown = await page(`${GITOPS}/${path}`)
      expect([path, await foreignMarkup(shown)]).toStrictEqual([path, []])
      for (const character of '\u0007\u001b\u202e') {
        expect([path, shown.includes(character)]).toStrictEqual([path, false])
      }
    }
    const readme = await page(`${GITOPS}/tree/hostile`)
    expect(await attributesOf(readme, '.prose a', 'href')).toStrictEqual([
      'https://example.org/a%22b',
      `${GITOPS}/blob/hostile/docs/a%20b.md#L3`,
    ])
    expect(await textsOf(readme, '.prose h3')).toStrictEqual(['<script>alert(1)</script>'])
    const lines = await page(`${GITOPS}/blob/hostile/with%20space.txt`)
    expect(await textsOf(lines, '.code span')).toStrictEqual(['\\u{1b}[31mred\\u{202e}', 'next'])
  })

  test('links, submodules, binary, large and empty files say what they are', async () => {
    await push('kinds', 'kinds', async (folder) => {
      await symlink('/etc/passwd', join(folder, 'link'))
      await Bun.write(join(folder, 'binary'), new Uint8Array([1, 0, 2]))
      await Bun.write(join(folder, 'latin'), new Uint8Array([0xe4, 0xf6, 0x0a]))
      await Bun.write(join(folder, 'large'), 'x'.repeat(600 * 1024))
      await Bun.write(join(folder, 'long'), 'x\n'.repeat(10_050))
      await Bun.write(join(folder, 'empty'), '')
      const module = join(folder, 'module')
      await git(folder, 'init', '-q', module)
      await git(module, 'commit', '-q', '--allow-empty', '-m', 'inside')
    })
    const said = async (name: string) => {
      const shown = await page(`${GITOPS}/blob/kinds/${name}`)
      return (await textsOf(shown, '.empty-title')).concat(await textsOf(shown, '.foot'))
    }
    expect(await said('link')).toStrictEqual(['This is a symbolic link. It is not followed here.'])
    expect(await said('binary')).toStrictEqual(['This is a binary file.'])
    expect(await said('latin')).toStrictEqual(['This is a binary file.'])
    expect(await said('large')).toStrictEqual(['This file is too large to show.'])
    expect(await said('long')).toStrictEqual(['50 further lines left out.'])
    expect(await said('empty')).toStrictEqual(['This file is empty.'])
    expect(await said('module')).toStrictEqual([
      'This is a submodule: a commit of another repository.',
    ])
    expect(await textsOf(await page(`${GITOPS}/tree/kinds`), 'td.list-end')).toContain(
      'symbolic link',
    )
  })

  test('bytes are sent as they are, and never as a page', async () => {
    const raw = (path: string) => dev.get(`${GITOPS}/raw/${path}`, HTML)
    const text = await raw('hostile/README.md')
    expect(text.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(text.headers.get('content-security-policy')).toBe(
      "default-src 'none'; frame-ancestors 'none'; sandbox",
    )
    expect(text.headers.get('x-content-type-options')).toBe('nosniff')
    expect((await text.text()) === HOSTILE).toBe(true)
    const binary = await raw('kinds/binary')
    expect(binary.headers.get('content-type')).toBe('application/octet-stream')
    expect(binary.headers.get('content-disposition')).toBe('attachment; filename="binary"')
    expect(await binary.bytes()).toStrictEqual(new Uint8Array([1, 0, 2]))
    for (const path of ['kinds/link', 'kinds/module', 'main/catalog', 'main', 'main/nothing']) {
      expect([path, (await raw(path)).status]).toStrictEqual([path, 404])
    }
  })

  test('a history of its own can be compared with main', async () => {
    await push('unrelated', 'start over', async (folder) => {
      await git(folder, 'checkout', '-q', '--orphan', 'tmp')
      await git(folder, 'branch', '-D', 'unrelated')
      await git(folder, 'branch', '-m', 'unrelated')
    })
    const compared = await page(`${GITOPS}/pulls/new?head=unrelated`)
    expect(await textsOf(compared, '.row-title')).toStrictEqual(['start over'])
    const fields = { head: 'unrelated', base: 'main', title: 'Start over' }
    const opened = await dev.post(`${GITOPS}/pulls/new`, { body: new URLSearchParams(fields) })
    const pull = await page(opened.headers.get('location') ?? '')
    expect(await textsOf(pull, '.diff summary code')).toContain('README.md')
  })
})

describe('a new pull request', () => {
  test('is opened from a branch, with its diff before', async () => {
    await push('my-change', 'Say hello', async (folder) => {
      await Bun.write(join(folder, 'hello.md'), 'hello\n')
    })
    const form = await page(`${GITOPS}/pulls/new?head=my-change`)
    expect(await textsOf(form, '.diff summary code')).toStrictEqual(['hello.md'])
    expect(await attributesOf(form, '#title', 'value')).toStrictEqual(['Say hello'])
    const fields = { head: 'my-change', base: 'main', title: ' Say hello ', body: 'a\r\nb' }
    const opened = await dev.post(`${GITOPS}/pulls/new`, { body: new URLSearchParams(fields) })
    expect(opened.status).toBe(303)
    const address = opened.headers.get('location') ?? ''
    const pull = await (await dev.get(address, { accept: 'application/json' })).json()
    expect(pull).toMatchObject({
      title: 'Say hello',
      body: 'a\nb',
      createdBy: 'Dana Okafor',
      state: 'open',
    })
    const again = await page(`${GITOPS}/pulls/new?head=my-change`)
    expect(await textsOf(again, '.empty-title')).toStrictEqual([
      'A pull request is open for this branch.',
    ])
  })

  test.each([
    ['no branch', {}, 'Choose the branch that has your change.'],
    ['a branch into itself', { head: 'main' }, 'A branch cannot be merged into itself.'],
    ['nothing new', { head: 'payments/ledger-contact' }, 'There is nothing to merge.'],
  ])('with %s says what to do', async (_, query, title) => {
    const form = await page(`${GITOPS}/pulls/new?${new URLSearchParams(query).toString()}`)
    expect(await textsOf(form, '.empty-title')).toStrictEqual([title])
  })

  test.each([
    [{ title: '' }, '/title'],
    [{ title: 'x'.repeat(201) }, '/title'],
    [{ body: 'x'.repeat(20_001) }, '/body'],
    [{ head: '-x' }, '/head'],
    [{ base: 'a..b' }, '/base'],
  ])('is refused with %j', async (fault, path) => {
    const body = new URLSearchParams({ head: 'hostile', base: 'main', title: 'x', ...fault })
    const refused = await dev.post(`${GITOPS}/pulls/new`, { body })
    expect(refused.status).toBe(422)
    expect(await refused.json()).toMatchObject({ errors: [{ path }] })
  })

  test('of a branch that does not exist is not found', async () => {
    const body = new URLSearchParams({ head: 'nothing', base: 'main', title: 'x' })
    expect((await dev.post(`${GITOPS}/pulls/new`, { body })).status).toBe(404)
  })

  test('is refused in words, on a page, to a browser', async () => {
    const body = new URLSearchParams({ head: 'hostile', base: 'main', title: ' ' })
    const refused = await dev.post(`${GITOPS}/pulls/new`, { body, headers: HTML })
    expect([refused.status, await textsOf(await refused.text(), '.empty p')]).toStrictEqual([
      422,
      expect.arrayContaining([
        expect.stringMatching(/^title must be one line of text, .* of 1 to 200 characters$/),
      ]),
    ])
  })
})
