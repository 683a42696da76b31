import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdir, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bytesOf } from '#tests/support/assets.ts'
import { FILENAME, newProgram, openShelf, RELEASES } from '#tests/support/cli-shelf.ts'
import type { HostedFile, Respond } from '#tests/support/release-host.ts'

/** A failure is remembered for less. */
const SOON_MS = 5_001

type Shelf = Awaited<ReturnType<typeof openShelf>>

/** One for all the tests that only need their own release. */
let shelf: Shelf
beforeAll(async () => {
  shelf = await openShelf()
})
afterAll(() => shelf[Symbol.asyncDispose]())

const whole =
  (bytes: Uint8Array): Respond =>
  (response) =>
    void response.end(bytes)
const silentAfter =
  (bytes: Uint8Array): Respond =>
  (response) =>
    void response.writeHead(200, { 'content-length': 300_000 }).write(bytes)
const endless: Respond = (response) => {
  const more = () => {
    while (response.write(half));
  }
  response.on('drain', more)
  more()
}
const status =
  (code: number): Respond =>
  (response) =>
    void response.writeHead(code).end('no')

const changed = (bytes: Uint8Array, index: number) => bytes.with(index, (bytes[index] ?? 0) ^ 1)
const half = bytesOf(300_000, 1000).slice(0, 150_000)

describe('nothing that is not the file is served as the file', () => {
  test.each([
    ['a file that ends too soon', whole(half), '502 git_host_error'],
    ['other bytes', whole(bytesOf(300_000, 1001)), '502 asset_corrupt'],
    ['silence', silentAfter(half), '504 git_host_timeout'],
    ['an error', status(500), '502 git_host_error'],
    ['a limit', status(429), '429 rate_limited'],
  ])('%s', async (_, respond, outcome) => {
    const { host, portal } = shelf
    const download = (path: string) => shelf.download(path)
    const { digest, ...file } = newProgram()
    const path = shelf.publish([file])
    const before = await shelf.kept()
    const logged = portal.logged.length
    host.answer(FILENAME, respond)
    expect(await download(path)).toBe(outcome)
    expect(await shelf.kept()).toStrictEqual(before)
    // Not fetched again for everybody who asks at once; and then, it is.
    expect(await download(path)).toBe(outcome)
    expect(host.opened).toHaveLength(1)
    host.answer(FILENAME)
    portal.clock.advance(SOON_MS)
    expect(await download(path)).toBe(digest)
    expect(await shelf.kept()).toContain(digest)
    const failures = portal.logged.slice(logged).filter((line) => line.includes('fetch_failed'))
    expect(failures).toHaveLength(1)
    expect(failures.join()).not.toContain('127.0.0.1')
  })

  test('a single byte at its end, though only its beginning is asked for', async () => {
    const { filename, bytes } = newProgram()
    const path = shelf.publish([{ filename, bytes }])
    shelf.host.answer(FILENAME, whole(changed(bytes, 299_999)))
    const response = await shelf.get(path, { headers: { range: 'bytes=0-9' } })
    expect(response.status).toBe(502)
    shelf.host.answer(FILENAME)
  })
})

describe('the digest', () => {
  const text = (filename: string, content: string): HostedFile => ({
    filename,
    bytes: new TextEncoder().encode(content),
    sha256: null,
  })
  /** A program of which the host does not say the digest. */
  function without() {
    const { digest, ...file } = newProgram()
    return { digest, file: { ...file, sha256: null } }
  }
  /** What the list says of the newest release. */
  const listed = async (): Promise<unknown> => {
    const releases = (await (await shelf.get(RELEASES)).json()) as {
      assets: { sha256: string | null }[]
    }[]
    return releases[0]?.assets[0]?.sha256
  }

  test('that is said in two ways is not believed', async () => {
    const { digest, file } = without()
    const one = text('checksums.txt', `${digest}  ${FILENAME}\n`)
    const other = text('SHA256SUMS', `${'0'.repeat(64)}  ${FILENAME}\n`)
    const path = shelf.publish([file, one, other])
    expect(await listed()).toBeNull()
    expect(await shelf.download(path)).toBe('502 asset_corrupt')
    expect(shelf.host.opened).not.toContain(FILENAME)
  })

  test.each([
    ['not to be had', status(500)],
    ['without an end', endless],
  ])('is not done without because the file of checksums is %s', async (_, respond) => {
    const { digest, file } = without()
    const path = shelf.publish([file, text('checksums.txt', `${digest}  ${FILENAME}\n`)])
    shelf.host.answer('checksums.txt', respond)
    expect(await shelf.download(path)).toBe('502 git_host_error')
    expect(await listed()).toBeNull()
    expect(shelf.host.opened).not.toContain(FILENAME)
    shelf.host.answer('checksums.txt')
    shelf.portal.clock.advance(SOON_MS)
    expect(await shelf.download(path)).toBe(digest)
  })

  test('that nobody says is that of what came, from then on', async () => {
    const { digest, file } = without()
    const path = shelf.publish([file])
    expect(await listed()).toBeNull()
    const { headers } = await shelf.get(path, { method: 'HEAD' })
    const shown = [headers.get('etag'), headers.get('content-length')]
    expect(shown).toStrictEqual([`"${digest}"`, '300000'])
    expect(await listed()).toBe(digest)
    expect(await shelf.download(path)).toBe(digest)
    expect(shelf.host.opened.filter((name) => name === FILENAME)).toHaveLength(1)

    // When the copy is gone, what comes has to be the same again.
    await rm(join(shelf.cacheDirectory, 'sha256', digest))
    shelf.host.answer(FILENAME, whole(changed(file.bytes, 5)))
    expect(await shelf.download(path)).toBe('502 asset_corrupt')
    shelf.host.answer(FILENAME)
  })

  test('of a host that says something else is nobody’s', async () => {
    const { digest, file } = without()
    const path = shelf.publish([{ ...file, sha256: '../../etc/passwd' }])
    expect(await listed()).toBeNull()
    expect(await shelf.download(path)).toBe(digest)
  })
})

describe('the cache', () => {
  test('without room is a clear failure, and what is there goes on being served', async () => {
    await using shelf = await openShelf({ cacheBytes: 500_000 })
    const small = newProgram()
    const path = shelf.publish([small, newProgram(400_000, 'portico-linux-arm64')])
    expect(await shelf.download(path)).toBe(small.digest)
    const response = await shelf.get('/api/v1/cli/download/linux/arm64')
    expect([response.status, response.headers.get('retry-after')]).toStrictEqual([503, '5'])
    expect(await response.json()).toMatchObject({ code: 'asset_cache_full' })
    expect(await shelf.download(path)).toBe(small.digest)
  })

  test('that cannot be written to is another', async () => {
    await using shelf = await openShelf()
    await writeFile(shelf.cacheDirectory, 'in the way')
    expect(await shelf.download(shelf.publish([newProgram()]))).toBe('503 asset_cache_unavailable')
    expect(shelf.portal.logged.some((line) => line.includes('ENOTDIR'))).toBe(true)
  })

  test('is cleared of what dead processes left when the service starts', async () => {
    await using shelf = await openShelf()
    const incoming = join(shelf.cacheDirectory, 'incoming')
    await mkdir(incoming, { recursive: true })
    await writeFile(join(incoming, 'left'), 'x')
    await utimes(join(incoming, 'left'), 1_000_000, 1_000_000)
    void shelf.portal.portal.start()
    while ((await shelf.kept()).length > 0) await Bun.sleep(5)
    expect(await shelf.kept()).toStrictEqual([])
  })
})

test('the end of the service is the end of what it fetches', async () => {
  await using shelf = await openShelf()
  const path = shelf.publish([newProgram()])
  const left = Promise.withResolvers<void>()
  shelf.host.answer(FILENAME, (response) => {
    response.on('close', () => left.resolve())
    silentAfter(half)(response)
  })
  const downloading = shelf.download(path)
  while ((await shelf.kept()).length === 0) await Bun.sleep(1)
  shelf.portal.portal.drain()
  expect(await downloading).toBe('502 git_host_error')
  await left.promise
})
