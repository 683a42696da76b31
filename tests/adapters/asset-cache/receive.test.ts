import { expect, test } from 'bun:test'
import { receive, type WritableFile } from '#src/lib/adapters/asset-cache/receive.ts'
import { bytesOf, streamOf } from '#tests/support/assets.ts'

const BYTES = bytesOf(300_000)
const expected = { sizeBytes: 1_000_000, sha256: null }
const { signal } = new AbortController()

/** A disk that writes as a test says. */
const fileOn = (write: () => Promise<{ bytesWritten: number; buffer: Uint8Array }>): WritableFile =>
  ({ write }) as unknown as WritableFile

test('nothing is on its way to the disk any more when it has ended', async () => {
  const disk = Promise.withResolvers<{ bytesWritten: number; buffer: Uint8Array }>()
  const file = fileOn(() => disk.promise)
  let ended = false
  const receiving = receive(streamOf([BYTES], 'error').stream, file, expected, {
    signal,
    stallMs: 1_000,
  }).finally(() => {
    ended = true
  })
  await Bun.sleep(50)
  expect(ended).toBe(false)
  disk.resolve({ bytesWritten: 1_000_000, buffer: BYTES })
  expect(await receiving).toStrictEqual({ ok: false, error: { kind: 'asset_cut_off' } })
})

test('a full disk is thrown, and the stream ends', async () => {
  const full = Object.assign(new Error('no space'), { code: 'ENOSPC' })
  const { stream, isCancelled } = streamOf([BYTES], 'never')
  const file = fileOn(() => Promise.reject(full))
  const refused = receive(stream, file, expected, { signal, stallMs: 1_000 })
  expect(await refused.catch((cause: unknown) => cause)).toBe(full)
  expect(isCancelled()).toBe(true)
})

test('a stream that drips is no better than one that is silent', async () => {
  const file = fileOn(() => Promise.resolve({ bytesWritten: 1_000_000, buffer: BYTES }))
  let sent = 0
  async function* dripping() {
    for (; sent < 100; sent += 1) {
      yield new Uint8Array(1)
      await Bun.sleep(20)
    }
  }
  const { stream } = streamOf(dripping())
  const dripped = receive(stream, file, { sizeBytes: 100, sha256: null }, { signal, stallMs: 200 })
  expect(await dripped).toStrictEqual({ ok: false, error: { kind: 'asset_stalled' } })
  expect(sent).toBeLessThan(50)
})
