import { describe, expect, test } from 'bun:test'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tokenCredentials } from '#src/lib/adapters/hosts/hosted/api/credentials.ts'
import type { HostClient } from '#src/lib/adapters/hosts/hosted/api/client.ts'
import { readPages } from '#src/lib/adapters/hosts/hosted/api/create-client.ts'
import { answers, rawAnswer, startRawHost } from '#tests/peers/raw-host.ts'
import { openClient } from './open-client.ts'

describe('an answer that is remembered', () => {
  const first = { headers: { etag: 'W/"1"', link: '</a?page=2>; rel="next"' }, json: { a: 1 } }

  test('is confirmed with its ETag, headers included', async () => {
    using host = await startRawHost(answers(first, { status: 304 }))
    const { client } = openClient(host.url)
    const answer = await client.read('/a')
    const again = await client.read('/a')
    if (!answer.ok || !again.ok) throw new Error('no answer')
    expect(again.value).toStrictEqual(answer.value)
    expect(again.value.status).toBe(200)
    const tags = host.requests.map(({ headers }) => headers.get('if-none-match'))
    expect(tags).toStrictEqual([null, 'W/"1"'])
  })

  test('is replaced by a new one, and forgotten with a refusal', async () => {
    const second = { headers: { etag: '"2"' }, json: { a: 2 } }
    using host = await startRawHost(answers(first, second, { status: 404 }, { json: 3 }))
    const { client } = openClient(host.url)
    const got: unknown[] = []
    for (let call = 0; call < 4; call += 1) {
      const answer = await client.read('/a')
      got.push(answer.ok && [answer.value.status, answer.value.json])
    }
    expect(got).toStrictEqual([
      [200, { a: 1 }],
      [200, { a: 2 }],
      [404, undefined],
      [200, 3],
    ])
    const tags = host.requests.map(({ headers }) => headers.get('if-none-match'))
    expect(tags).toStrictEqual([null, 'W/"1"', '"2"', null])
  })

  test('belongs to its query', async () => {
    using host = await startRawHost(answers(first))
    const { client } = openClient(host.url)
    await client.read('/a')
    await client.read('/a', { query: { page: 2 } })
    expect(host.requests.map(({ headers }) => headers.get('if-none-match'))).toStrictEqual([
      null,
      null,
    ])
  })

  test('is not shared: whoever changes it changes their own', async () => {
    using host = await startRawHost(answers(first, { status: 304 }))
    const { client } = openClient(host.url)
    const answer = await client.read('/a')
    if (answer.ok) Object.assign(answer.value.json as object, { a: 'changed' })
    const again = await client.read('/a')
    expect(again.ok && again.value.json).toStrictEqual({ a: 1 })
  })

  test('is not a long listing, nor everything ever read', async () => {
    const long = (length: number) => ({ ...first, json: 'x'.repeat(length) })
    using host = await startRawHost((socket, { target }) => {
      socket.write(rawAnswer(long(target === '/long' ? 1_100_000 : 900_000)))
    })
    const { client } = openClient(host.url)
    for (const path of ['/long', '/long']) await client.read(path)
    for (let page = 0; page < 20; page += 1) await client.read('/a', { query: { page } })
    for (const page of [0, 19]) await client.read('/a', { query: { page } })
    const tags = host.requests.map(({ headers }) => headers.get('if-none-match'))
    expect(tags.slice(0, 2)).toStrictEqual([null, null])
    expect(tags.slice(-2)).toStrictEqual([null, 'W/"1"'])
  })

  test('304 without having asked for it is nothing', async () => {
    using host = await startRawHost(answers({ status: 304 }))
    const answer = await openClient(host.url).client.read('/a')
    expect(answer.ok && answer.value).toMatchObject({ status: 304, json: undefined })
  })
})

describe('the pages of a list', () => {
  const next = (target: string) => ({
    link: `<https://public.test/x>; rel="prev", <${target}>; rel="next"`,
  })
  const pages = answers(
    { json: [1, 2], headers: next('https://public.test/api/v1/b?page=2&limit=2') },
    { json: [3, 4], headers: next('/b?page=3&limit=2') },
    { json: [5] },
  )

  test('are read in order from the configured host, whatever host the links name', async () => {
    using host = await startRawHost(pages)
    const { client } = openClient(host.url)
    const query = { limit: 2, state: 'open' }
    expect(await client.readPages('/a', { pagesMax: 9, query })).toStrictEqual({
      ok: true,
      value: { kind: 'list', items: [1, 2, 3, 4, 5], truncated: false },
    })
    expect(host.requests.map(({ target }) => target)).toStrictEqual([
      '/a?limit=2&state=open',
      '/a?limit=2&state=open&page=2',
      '/a?limit=2&state=open&page=3',
    ])
  })

  test.each([
    ['at most so many', { pagesMax: 2 }],
    [
      'until there are enough',
      { pagesMax: 9, enough: (items: readonly unknown[]) => items.length > 3 },
    ],
  ])('%s', async (_, options) => {
    using host = await startRawHost(pages)
    expect(await openClient(host.url).client.readPages('/a', options)).toStrictEqual({
      ok: true,
      value: { kind: 'list', items: [1, 2, 3, 4], truncated: true },
    })
  })

  test.each([
    [
      { status: 404, json: {} },
      { ok: true, value: { kind: 'refused', answer: { status: 404, json: {} } } },
    ],
    [{ json: null }, { ok: true, value: { kind: 'list', items: [], truncated: false } }],
    [
      { json: {} },
      { ok: false, error: { kind: 'git_host_error', reason: 'a list that is no list' } },
    ],
  ] as const)('%j', async (answer, outcome) => {
    using host = await startRawHost(answers(answer))
    const pages = await openClient(host.url).client.readPages('/a', { pagesMax: 2 })
    expect(pages).toMatchObject(outcome)
  })

  test('that are endless are no list, and no reason to crash', async () => {
    const body = `[${'0,'.repeat(1_000_000)}0]`
    using host = await startRawHost(answers({ body }))
    expect(await openClient(host.url).client.readPages('/a', { pagesMax: 2 })).toStrictEqual({
      ok: false,
      error: { kind: 'git_host_error', reason: 'a list that is too long' },
    })
  })

  test('have a deadline for all of them together', async () => {
    using host = await startRawHost(pages)
    const { client } = openClient(host.url)
    const read: HostClient['read'] = (...args) => client.read(...args)
    expect(await readPages(read, '/a', { pagesMax: 9 }, 0)).toStrictEqual({
      ok: false,
      error: { kind: 'git_host_timeout' },
    })
    expect(host.requests).toHaveLength(1)
  })

  test('fail as a whole', async () => {
    using host = await startRawHost(
      answers({ json: [1], headers: next('/a?page=2') }, { status: 500 }),
    )
    expect((await openClient(host.url).client.readPages('/a', { pagesMax: 9 })).ok).toBe(false)
  })
})

describe('credentials', () => {
  const refused = {
    ok: false,
    error: { kind: 'git_denied', what: 'the credentials were refused' },
  } as const

  test('that the host refuses', async () => {
    using host = await startRawHost(answers({ status: 401, json: { message: 'Bad credentials' } }))
    const { client, logged } = openClient(host.url)
    expect(await client.read('/a')).toStrictEqual(refused)
    expect(await client.write('POST', '/a')).toStrictEqual(refused)
    expect(host.requests).toHaveLength(2)
    expect(logged.join()).not.toContain('secret')
  })

  test('that a refusal quotes are not in its message', async () => {
    const json = { message: 'Bearer secret may not: é' }
    using host = await startRawHost(answers({ status: 403, json }))
    const { client } = openClient(host.url)
    const quoted = { ok: true, value: { status: 403, json: { message: 'Bearer *** may not: é' } } }
    expect(await client.read('/a')).toMatchObject(quoted)
    expect(await client.write('POST', '/a')).toMatchObject(quoted)
  })

  test('in a file are read again, and a changed file is tried once more', async () => {
    const scratch = await mkdtemp(join(tmpdir(), 'portico-token-'))
    const path = join(scratch, 'token')
    const credentials = tokenCredentials('token', { kind: 'file', variable: 'TOKEN_FILE', path })
    await writeFile(path, 'first\n')
    using host = await startRawHost((socket, { headers }) => {
      const token = headers.get('authorization')
      if (token === 'token second') return void socket.write(rawAnswer({ json: {} }))
      void writeFile(path, 'second\n').then(() => socket.write(rawAnswer({ status: 401 })))
    })
    const { client } = openClient(host.url, { credentials })
    expect((await client.write('POST', '/a')).ok).toBe(true)
    await writeFile(path, 'third\n')
    expect((await client.read('/a')).ok).toBe(true)
    const tokens = host.requests.map(({ headers }) => headers.get('authorization'))
    expect(tokens).toStrictEqual(['token first', 'token second', 'token third', 'token second'])
    for (const nothing of ['', 'two\nlines', '\0']) {
      await writeFile(path, nothing)
      expect(await client.read('/a')).toMatchObject({ error: { kind: 'git_denied' } })
    }
    await rm(scratch, { recursive: true })
    expect(await client.read('/a')).toMatchObject({ error: { kind: 'git_denied' } })
    expect(host.requests).toHaveLength(4)
  })
})
