import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { createLocalGitHost } from '#src/lib/adapters/hosts/forge/index.ts'
import { GITOPS } from '#src/demo/seed/seed.ts'
import { openDemo } from './open-demo.ts'
import { commitFiles, openPull } from '#tests/support/commit-files.ts'
import { attributesOf, foreignMarkup, textsOf } from '#tests/support/page-markup.ts'
import { valueOf } from '#tests/support/value-of.ts'
import { shared } from '#tests/support/shared.ts'

const demo = shared(openDemo)

const JSON_ONLY = { accept: 'application/json' }
const pulls = '/git/acme/gitops/pulls'
const author = { name: 'Mallory <b>', email: 'mallory@acme.example' }

/** Opens a pull request beside the running process, as the portal itself would. */
async function propose(name: string, path: string, text: string, title = name, body = '') {
  const host = createLocalGitHost({
    directory: join(demo().directory, 'git'),
    publicUrl: demo().url,
  })
  const change = { branch: name, message: title, author }
  valueOf(await commitFiles(host, GITOPS, { [path]: text }, change))
  return openPull(host, GITOPS, { branch: name, title, body, author })
}

describe('pages and JSON', () => {
  test('list every pull request, the latest first', async () => {
    const who = await demo().signIn('dev')
    const response = await who.get(pulls, JSON_ONLY)
    expect(response.headers.get('content-type')).toBe('application/json')
    const list = (await response.json()) as { number: number; state: string; title: string }[]
    expect(list.map(({ number, state, title }) => ({ number, state, title }))).toStrictEqual([
      { number: 3, state: 'open', title: '[Promote] payments/invoice-service → staging' },
      { number: 2, state: 'open', title: 'label-printer: describe the queue' },
      { number: 1, state: 'merged', title: 'ledger: add the on-call channel' },
    ])
    const page = await (await who.get(pulls)).text()
    expect(await textsOf(page, '.row-title')).toStrictEqual([
      '[Promote] payments/invoice-service → staging',
      'label-printer: describe the queue',
    ])
    expect(await attributesOf(page, '.row-title', 'href')).toContain(`${pulls}/2`)
  })

  test('show one with its files, its diff and who may act on it', async () => {
    const who = await demo().signIn('dev')
    expect(await (await who.get(`${pulls}/2`, JSON_ONLY)).json()).toStrictEqual({
      number: 2,
      title: 'label-printer: describe the queue',
      body: expect.stringContaining('New colleagues ask'),
      url: `${demo().url}${pulls}/2`,
      state: 'open',
      head: {
        branch: 'shipping/label-printer-queue',
        commit: expect.stringMatching(/^[0-9a-f]{40}$/),
      },
      base: 'main',
      mergeable: 'clean',
      createdBy: 'Oskar Lindqvist',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      closedAt: null,
      mergeCommit: null,
      mergedBy: null,
      files: [
        {
          path: 'catalog/shipping/components/label-printer.yaml',
          change: 'modified',
          additions: 2,
          deletions: 1,
        },
      ],
    })
    const page = await (await who.get(`${pulls}/2`)).text()
    expect(await textsOf(page, '.diff-add')).toContain('+ - queue')
    expect(await textsOf(page, '#merge-reason p')).toStrictEqual([
      'Only platform-team may approve, merge into main and close.',
      'This branch has no conflicts with main.',
    ])
    expect(await textsOf(page, '.actions button[aria-disabled]')).toStrictEqual([
      'Merge',
      'Approve',
      'Close',
    ])
    expect(await attributesOf(page, 'form', 'action')).toStrictEqual([])
  })

  test.each(['99', '0', 'x', '1e3'])('%s is not there', async (number) => {
    const response = await (await demo().signIn('dev')).get(`${pulls}/${number}`)
    expect(response.status).toBe(number === '99' ? 404 : 422)
  })
})

describe('merge and close', () => {
  test('a browser is told on a page', async () => {
    const who = await demo().signIn('dev')
    const refused = await who.post(`${pulls}/2/merge`, { headers: { accept: 'text/html' } })
    const page = await refused.text()
    expect([refused.status, await textsOf(page, '.empty p')]).toStrictEqual([
      403,
      expect.arrayContaining(['This is for members of platform-team.']),
    ])
    expect(await attributesOf(page, '.side .who a', 'href')).toStrictEqual([
      '/sessions',
      `/api/v1/auth/login?${new URLSearchParams({ return_to: `${pulls}/2` }).toString()}`,
    ])
  })

  test('from the form of the page: 303 back, and the catalog shows it', async () => {
    const who = await demo().signIn('platform')
    const entityPath = '/api/v1/catalog/entities/component/label-printer'
    expect(await (await who.get(entityPath)).json()).not.toMatchObject({
      metadata: { tags: ['go', 'queue'] },
    })
    const page = await (await who.get(`${pulls}/2`)).text()
    const [, head = ''] = /name="head" value="([0-9a-f]{40})"/.exec(page) ?? []
    const body = new URLSearchParams({ head })
    const response = await who.post(`${pulls}/2/merge`, { body })
    expect(response.status).toBe(303)
    expect(response.headers.get('location')).toBe(`${pulls}/2`)
    expect(await (await who.get(entityPath)).json()).toMatchObject({
      metadata: { tags: ['go', 'queue'] },
    })
    const merged = await (await who.get(`${pulls}/2`)).text()
    expect(await textsOf(merged, '.chip')).toStrictEqual(['Merged'])
    expect(await textsOf(merged, '.row-title')).toStrictEqual(['label-printer: describe the queue'])

    const again = await who.post(`${pulls}/2/merge`)
    expect(again.status).toBe(409)
    expect(await again.json()).toMatchObject({ code: 'pull_request_not_open', state: 'merged' })
  })

  test('by a program: 200 with the pull request', async () => {
    const who = await demo().signIn('platform')
    const merging = await propose('by-program', 'notes/a.md', 'a\n')
    const merged = await who.post(`${pulls}/${merging}/merge`, { headers: JSON_ONLY })
    expect(merged.status).toBe(200)
    expect(await merged.json()).toMatchObject({
      number: merging,
      state: 'merged',
      mergeCommit: expect.stringMatching(/^[0-9a-f]{40}$/),
    })
    const closing = await propose('to-close', 'notes/b.md', 'b\n')
    const closed = await who.post(`${pulls}/${closing}/close`, { headers: JSON_ONLY })
    expect(closed.status).toBe(200)
    expect(await closed.json()).toMatchObject({ number: closing, state: 'closed' })
  })

  test('what conflicts is not merged, and the page says so', async () => {
    const who = await demo().signIn('platform')
    const one = await propose('conflict-one', 'notes/same.md', 'one\n')
    const other = await propose('conflict-other', 'notes/same.md', 'other\n')
    expect((await who.post(`${pulls}/${one}/merge`)).status).toBe(303)
    const refused = await who.post(`${pulls}/${other}/merge`)
    expect(refused.status).toBe(409)
    expect(await refused.json()).toMatchObject({ code: 'merge_conflict', paths: ['notes/same.md'] })
    const page = await (await who.get(`${pulls}/${other}`)).text()
    expect(await textsOf(page, '[aria-disabled]')).toStrictEqual(['Merge'])
    expect((await textsOf(page, '#merge-reason'))[0]).toStartWith(
      'This branch conflicts with main.',
    )
    expect((await who.post(`${pulls}/${other}/close`)).status).toBe(303)
  })

  test('a browser that comes too late, or by an old link, gets a page', async () => {
    const who = await demo().signIn('platform')
    const accept = { headers: { accept: 'text/html,*/*;q=0.8' } }
    const late = await who.post(`${pulls}/1/close`, accept)
    expect([late.status, late.headers.get('content-type')]).toStrictEqual([
      409,
      'text/html; charset=utf-8',
    ])
    const text = await late.text()
    expect(await textsOf(text, 'h1')).toStrictEqual(['The pull request is not open any more'])
    expect(await attributesOf(text, 'main a', 'href')).toStrictEqual([`${pulls}/1`])
    const gone = await who.get(`${pulls}/99`, accept.headers)
    expect([gone.status, await textsOf(await gone.text(), 'h1')]).toStrictEqual([
      404,
      ['There is no such pull request'],
    ])
  })

  test('an unknown one is 404', async () => {
    const who = await demo().signIn('platform')
    for (const act of ['merge', 'close']) {
      const response = await who.post(`${pulls}/99/${act}`)
      expect(response.status).toBe(404)
      expect(await response.json()).toMatchObject({ code: 'pull_request_not_found' })
    }
  })
})

describe('what others wrote is text', () => {
  const attacks = [
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "' autofocus onfocus='alert(1)",
    '</title><script>alert(1)</script>',
    '</code></pre><iframe src="javascript:alert(1)">',
    '&lt;script&gt;',
    '<!-- --><svg/onload=alert(1)>',
    '\u202egnp.exe\u0000\u001b[31m',
  ]
  test.each(attacks.map((attack, index) => ({ attack, index })))(
    '$attack',
    async ({ attack, index }) => {
      const path = `notes/xss-${index}.html`
      const number = await propose(`xss-${index}`, path, `${attack}\n`, attack, attack)
      const who = await demo().signIn('platform')
      for (const address of [`${pulls}/${number}`, pulls]) {
        const page = await (await who.get(address)).text()
        expect(await foreignMarkup(page)).toStrictEqual([])
        for (const character of '\u0000\u001b\u202e') expect(page.includes(character)).toBe(false)
      }
      const json = await who.get(`${pulls}/${number}`, JSON_ONLY)
      expect(json.headers.get('content-type')).toBe('application/json')
      expect(((await json.json()) as { number: number }).number).toBe(number)
    },
  )
})
