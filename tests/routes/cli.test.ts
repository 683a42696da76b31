import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sha256Of } from '#tests/support/assets.ts'
import {
  digestOf,
  FILENAME,
  LINUX,
  newProgram,
  openShelf,
  problemOf,
  RELEASES,
} from '#tests/support/cli-shelf.ts'
import { openPortal } from '#tests/support/portal.ts'

type Shelf = Awaited<ReturnType<typeof openShelf>>

/** One for the tests that do not mind each other's releases. */
let shelf: Shelf
beforeAll(async () => {
  shelf = await openShelf()
})
afterAll(() => shelf[Symbol.asyncDispose]())

describe('the list of releases', () => {
  test('has the fields of the contract and no others, newest version first', async () => {
    await using shelf = await openShelf()
    const { host } = shelf
    const linux = newProgram(30)
    const darwin = newProgram(20, 'portico-darwin-arm64')
    const candidate = newProgram(10)
    host.publish('portico-v1.5.0-rc.1', [candidate], { prerelease: true })
    host.publish('portico-v1.4.0', [linux, darwin], { name: 'Portico CLI 1.4.0', notes: 'Better' })
    host.publish('portico-v1.10.0', [linux], { draft: true, publishedAt: null })
    host.publish('agent-v9.0.0', [linux])
    host.publish('portico-v1.3.0', [])
    expect(await (await shelf.get(RELEASES)).json()).toStrictEqual([
      {
        version: '1.5.0-rc.1',
        tag: 'portico-v1.5.0-rc.1',
        name: 'portico-v1.5.0-rc.1',
        latest: false,
        prerelease: true,
        publishedAt: '2026-11-01T00:00:00.000Z',
        notes: '',
        assets: [
          {
            os: 'linux',
            arch: 'amd64',
            filename: 'portico-linux-amd64',
            sizeBytes: 10,
            sha256: candidate.digest,
            url: `${LINUX}?version=1.5.0-rc.1`,
          },
        ],
      },
      {
        version: '1.4.0',
        tag: 'portico-v1.4.0',
        name: 'Portico CLI 1.4.0',
        latest: true,
        prerelease: false,
        publishedAt: '2026-11-02T00:00:00.000Z',
        notes: 'Better',
        assets: [
          {
            os: 'linux',
            arch: 'amd64',
            filename: 'portico-linux-amd64',
            sizeBytes: 30,
            sha256: linux.digest,
            url: LINUX,
          },
          {
            os: 'darwin',
            arch: 'arm64',
            filename: 'portico-darwin-arm64',
            sizeBytes: 20,
            sha256: darwin.digest,
            url: '/api/v1/cli/download/darwin/arm64',
          },
        ],
      },
      {
        version: '1.3.0',
        tag: 'portico-v1.3.0',
        name: 'portico-v1.3.0',
        latest: false,
        prerelease: false,
        publishedAt: '2026-11-05T00:00:00.000Z',
        notes: '',
        assets: [],
      },
    ])
    const drawn = await (await shelf.get(`${RELEASES}?notes=tree`)).json()
    expect(drawn).toMatchObject([
      { notesTree: { nodes: [], truncated: false } },
      { notes: 'Better', notesTree: { nodes: [{ type: 'p', children: ['Better'] }] } },
      {},
    ])
    expect(host.opened).toStrictEqual([])
  })

  test('leads to every download that it lists, and leaves out what they would refuse', async () => {
    await using shelf = await openShelf()
    const either = newProgram(10, 'agent-linux-amd64')
    shelf.publish([newProgram()])
    shelf.host.publish('portico-v0.9.0+build.5', [newProgram()])
    shelf.publish([newProgram(), either, newProgram(10, 'portico-linux-arm64')])
    const releases = (await (await shelf.get(RELEASES)).json()) as {
      version: string
      assets: { url: string; sha256: string }[]
    }[]
    expect(releases.map(({ assets }) => assets.length)).toStrictEqual([1, 1, 1])
    for (const { version, assets } of releases) {
      for (const { url, sha256 } of assets) {
        const response = await shelf.get(url)
        expect(response.headers.get('x-cli-version')).toBe(version)
        expect<string>(await digestOf(response)).toBe(sha256)
      }
    }
  })

  test('is empty where there is no repository for the client', async () => {
    await using portal = await openPortal()
    expect(await (await portal.request(RELEASES, { as: 'dev' })).json()).toStrictEqual([])
    const response = await portal.request(LINUX, { as: 'dev' })
    expect(await problemOf(response)).toStrictEqual({ status: 404, code: 'release_not_found' })
  })

  test('says what is wrong with the git host, and is served stale while it is away', async () => {
    await using shelf = await openShelf()
    const { digest, ...file } = newProgram()
    shelf.publish([file])
    shelf.host.failWith = { kind: 'git_host_unreachable' }
    const failure = { status: 503, code: 'git_host_unreachable' }
    expect(await problemOf(await shelf.get(RELEASES))).toStrictEqual(failure)
    expect(await problemOf(await shelf.get())).toStrictEqual(failure)
    shelf.host.failWith = undefined
    shelf.portal.clock.advance(3_000)
    expect((await shelf.get(RELEASES)).status).toBe(200)
    shelf.host.failWith = { kind: 'git_host_timeout' }
    shelf.portal.clock.advance(600_000)
    expect(await digestOf(await shelf.get())).toBe(digest)
  })
})

describe('a download', () => {
  test('is the file, with everything that there is to say about it', async () => {
    await using shelf = await openShelf()
    const { digest, ...file } = newProgram()
    shelf.publish([file])
    const response = await shelf.get()
    const { status, headers } = response
    const shown = ['content-type', 'content-length', 'content-disposition', 'accept-ranges', 'etag']
    const more = ['x-cli-version', 'repr-digest', 'cache-control', 'x-content-type-options']
    expect([status, ...[...shown, ...more].map((name) => headers.get(name))]).toStrictEqual([
      200,
      'application/octet-stream',
      '300000',
      'attachment; filename="portico-linux-amd64"',
      'bytes',
      `"${digest}"`,
      '1.1.0',
      `sha-256=:${Buffer.from(digest, 'hex').toString('base64')}:`,
      'private, no-cache',
      'nosniff',
    ])
    expect(await digestOf(response)).toBe(digest)
  })

  test('needs a session, whatever is asked for', async () => {
    const path = shelf.publish([newProgram()])
    for (const asked of [path, '/api/v1/cli/download/plan9/mips', RELEASES]) {
      const response = await shelf.portal.request(asked)
      expect(await problemOf(response)).toStrictEqual({ status: 401, code: 'session_required' })
    }
    expect(shelf.host.opened).toStrictEqual([])
  })

  test('is of the latest release or of another version, never of a draft', async () => {
    await using shelf = await openShelf()
    const [stable, candidate] = [newProgram(), newProgram()]
    shelf.host.publish('portico-v1.4.0', [stable])
    shelf.host.publish('portico-v1.5.0-rc.1', [candidate])
    shelf.host.publish('portico-v2.0.0', [stable], { draft: true, publishedAt: null })
    expect(await shelf.download(LINUX)).toBe(stable.digest)
    expect(await shelf.download(`${LINUX}?version=1.4.0`)).toBe(stable.digest)
    expect(await shelf.download(`${LINUX}?version=1.5.0-rc.1`)).toBe(candidate.digest)
    for (const version of ['2.0.0', '1.4.1', '1.4.0-rc.1'])
      expect(await shelf.download(`${LINUX}?version=${version}`)).toBe('404 release_not_found')
    for (const version of ['latest', 'v1.4.0', '1.4', '../1.4.0', '', '1.4.0&version=1.4.0'])
      expect(await shelf.download(`${LINUX}?version=${version}`)).toBe('422 validation_failed')
  })

  test.each([
    'linux/386',
    'linux/x86_64',
    'Linux/amd64',
    'windows/arm64',
    'macos/arm64',
    'constructor/__proto__',
  ])('for %s does not exist, and the answer says which do', async (platform) => {
    const response = await shelf.get(`/api/v1/cli/download/${platform}`)
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({
      code: 'unsupported_platform',
      supported: ['linux/amd64', 'linux/arm64', 'darwin/amd64', 'darwin/arm64', 'windows/amd64'],
    })
  })

  test.each([
    'linux/amd64%2f',
    'linux/..%2f',
    'li%00nux/amd64',
    '%ff/amd64',
    `${'x'.repeat(33)}/amd64`,
  ])('for %s is no request', async (platform) => {
    expect(await shelf.download(`/api/v1/cli/download/${platform}`)).toBe('422 validation_failed')
  })

  test('of a release without a file for the platform names what it has', async () => {
    const path = shelf.publish([newProgram(10, 'portico-linux-arm64')])
    const { version } = /version=(?<version>.*)/.exec(path)?.groups ?? {}
    expect(await problemOf(await shelf.get(path))).toStrictEqual({
      status: 404,
      code: 'asset_not_found',
      detail: `no file name of ${version} matches linux/amd64; it has portico-linux-arm64`,
    })
  })

  test('of a release with two is never a guess, until one is configured', async () => {
    const { digest, ...file } = newProgram()
    const files = [file, newProgram(10, 'agent-linux-amd64')]
    const path = shelf.publish(files)
    const { version } = /version=(?<version>.*)/.exec(path)?.groups ?? {}
    expect(await problemOf(await shelf.get(path))).toStrictEqual({
      status: 409,
      code: 'asset_ambiguous',
      detail: `${version} has several for linux/amd64: portico-linux-amd64, agent-linux-amd64; CLI_ASSET_PATTERN selects one`,
    })
    const environment = { CLI_ASSET_PATTERN: 'portico-{os}-{arch}{ext}' }
    await using configured = await openShelf({ environment })
    expect(await configured.download(configured.publish(files))).toBe(digest)
  })

  test.each([
    [
      'a "quoted" \\ name-linux-amd64',
      `filename="a _quoted_ _ name-linux-amd64"; filename*=UTF-8''a%20%22quoted%22%20_%20name-linux-amd64`,
    ],
    ['../../bin/sh-linux-amd64', `filename=".._.._bin_sh-linux-amd64"`],
  ])('of %j keeps the name in its place', async (filename, disposition) => {
    const response = await shelf.get(shelf.publish([newProgram(3, filename)]))
    expect(response.headers.get('content-disposition')).toBe(`attachment; ${disposition}`)
  })

  test('of a file without bytes', async () => {
    const file = { filename: FILENAME, bytes: new Uint8Array() }
    const response = await shelf.get(shelf.publish([file]))
    expect([response.status, response.headers.get('content-length')]).toStrictEqual([200, '0'])
    expect(await response.text()).toBe('')
  })
})

describe('asked for again', () => {
  test('it comes from the cache', async () => {
    const { digest, ...file } = newProgram()
    const path = shelf.publish([file])
    for (let time = 0; time < 3; time += 1) expect(await shelf.download(path)).toBe(digest)
    expect(shelf.host.opened).toHaveLength(1)
  })

  test('by a client that has it: 304, and nothing is fetched for it', async () => {
    const { digest, ...file } = newProgram()
    const path = shelf.publish([file])
    for (const tag of [`"${digest}"`, `W/"${digest}"`, `"x", "${digest}"`, '*']) {
      const response = await shelf.get(path, { headers: { 'if-none-match': tag } })
      expect([response.status, response.headers.get('etag')]).toStrictEqual([304, `"${digest}"`])
      expect(await response.text()).toBe('')
    }
    expect(shelf.host.opened).toStrictEqual([])
    const other = await shelf.get(path, { headers: { 'if-none-match': `"${'0'.repeat(64)}"` } })
    expect(await digestOf(other)).toBe(digest)
  })

  test('by HEAD: the headers of GET, and nothing is fetched for them', async () => {
    const path = shelf.publish([newProgram()])
    const head = await shelf.get(path, { method: 'HEAD', headers: { range: 'bytes=0-1' } })
    expect(head.status).toBe(200)
    expect(await head.text()).toBe('')
    expect(shelf.host.opened).toStrictEqual([])
    const get = await shelf.get(path)
    const but = (response: Response) =>
      Object.fromEntries([...response.headers].filter(([name]) => name !== 'x-request-id'))
    expect(but(head)).toStrictEqual(but(get))
    const wrong = await shelf.get('/api/v1/cli/download/linux/386', { method: 'HEAD' })
    expect(wrong.status).toBe(404)
  })

  test('by twenty at once: it is fetched once', async () => {
    const { digest, ...file } = newProgram()
    const path = shelf.publish([file])
    const all = await Promise.all(Array.from({ length: 20 }, () => shelf.download(path)))
    expect(new Set(all)).toStrictEqual(new Set([digest]))
    expect(shelf.host.opened).toStrictEqual([FILENAME])
  })
})

describe('a part of it', () => {
  test.each([
    ['bytes=0-9', 0, 10],
    ['bytes=-7', 299_993, 300_000],
  ])('%s', async (range, start, end) => {
    const file = newProgram()
    const response = await shelf.get(shelf.publish([file]), { headers: { range } })
    const { status, headers } = response
    const shown = ['content-range', 'content-length', 'etag', 'repr-digest']
    expect([status, ...shown.map((name) => headers.get(name))]).toStrictEqual([
      206,
      `bytes ${start}-${end - 1}/300000`,
      String(end - start),
      `"${file.digest}"`,
      `sha-256=:${Buffer.from(file.digest, 'hex').toString('base64')}:`,
    ])
    expect(await digestOf(response)).toBe(sha256Of(file.bytes.subarray(start, end)))
  })

  test('that it does not have is a problem', async () => {
    const path = shelf.publish([newProgram()])
    const response = await shelf.get(path, { headers: { range: 'bytes=300000-' } })
    expect(response.headers.get('content-range')).toBe('bytes */300000')
    expect(await problemOf(response)).toStrictEqual({ status: 416, code: 'range_not_satisfiable' })
  })

  test('goes on where a download stopped, and begins again when the file is another', async () => {
    const [older, newer] = [newProgram(), newProgram()]
    shelf.publish([older])
    const first = await shelf.get(LINUX, { headers: { range: 'bytes=0-99999' } })
    const etag = first.headers.get('etag') ?? ''
    const rest = { range: 'bytes=100000-', 'if-range': etag }
    const second = await shelf.get(LINUX, { headers: rest })
    const whole = Buffer.concat([await first.bytes(), await second.bytes()])
    expect(sha256Of(whole)).toBe(older.digest)

    shelf.publish([newer])
    const other = await shelf.get(LINUX, { headers: rest })
    expect([other.status, await digestOf(other)]).toStrictEqual([200, newer.digest])
  })
})

test('only the file that the client means: 412 for any other', async () => {
  const { digest, ...file } = newProgram()
  const path = shelf.publish([file])
  const other = await shelf.get(path, { headers: { 'if-match': `"${'0'.repeat(64)}"` } })
  expect(other.headers.get('etag')).toBe(`"${digest}"`)
  expect(await problemOf(other)).toStrictEqual({ status: 412, code: 'precondition_failed' })
  expect(shelf.host.opened).toStrictEqual([])
  const same = await shelf.get(path, { headers: { 'if-match': `"${digest}"` } })
  expect(await digestOf(same)).toBe(digest)
})
