import { afterEach, describe, expect, jest, test } from 'bun:test'
import fc from 'fast-check'
import type { AssetCache, CachedAsset } from '#src/lib/ports/asset-cache.ts'
import type { Result } from '#src/lib/result.ts'
import { bytesOf, sha256Of, streamOf } from '#tests/support/assets.ts'
import { until } from '#tests/support/until.ts'

/** An empty cache with space for a megabyte and a stall limit of 200 ms. */
export interface AssetCacheFixture extends AsyncDisposable {
  readonly cache: AssetCache
  /** The same cache in another process. */
  readonly another: () => AssetCache
  /** Sets the last use of all copies an hour back. */
  readonly letTimePass: () => Promise<void>
}

export const ROOM_BYTES = 1024 * 1024
export const STALL_MS = 1_000

const { signal: never } = new AbortController()
export const keep = (cache: AssetCache, bytes: Uint8Array, signal = never) =>
  cache.keep({ sizeBytes: bytes.length, sha256: sha256Of(bytes) }, streamOf([bytes]).stream, signal)

/** A copy with the digest of its content. */
async function shown(copy: CachedAsset | undefined) {
  return copy && { ...copy, content: sha256Of(await copy.content.bytes()) }
}

async function copyOf<Failure>(kept: Result<CachedAsset, Failure>) {
  if (!kept.ok) throw new Error(JSON.stringify(kept.error))
  return shown(kept.value)
}

const complete = (bytes: Uint8Array) => {
  const sha256 = sha256Of(bytes)
  return { sha256, sizeBytes: bytes.length, content: sha256 }
}

const A = bytesOf(300_000, 1)
const B = bytesOf(300_000, 2)
const C = bytesOf(300_000, 3)
const D = bytesOf(300_000, 4)

export function assetCacheContract(name: string, open: () => Promise<AssetCacheFixture>) {
  describe(`${name} keeps the AssetCache contract`, () => {
    afterEach(() => void jest.useRealTimers())

    test('hands out what it was given, and nothing else', async () => {
      await using fixture = await open()
      const { cache } = fixture
      expect(await cache.find(sha256Of(A))).toBeUndefined()
      expect(await copyOf(await keep(cache, A))).toStrictEqual(complete(A))
      expect(await shown(await cache.find(sha256Of(A)))).toStrictEqual(complete(A))
      expect(await cache.find(sha256Of(B))).toBeUndefined()
    })

    test('computes the digest when nobody has said it', async () => {
      await using fixture = await open()
      const expected = { sizeBytes: A.length, sha256: null }
      const kept = await fixture.cache.keep(expected, streamOf([A]).stream, never)
      expect(await copyOf(kept)).toStrictEqual(complete(A))
    })

    test('keeps a file without bytes', async () => {
      await using fixture = await open()
      const nothing = new Uint8Array()
      expect(await copyOf(await keep(fixture.cache, nothing))).toStrictEqual(complete(nothing))
    })

    test('another process finds it', async () => {
      await using fixture = await open()
      await keep(fixture.cache, A)
      expect(await shown(await fixture.another().find(sha256Of(A)))).toStrictEqual(complete(A))
    })

    test('the same at once, in several processes, is kept for all of them', async () => {
      await using fixture = await open()
      const kept = await Promise.all(
        [fixture.cache, fixture.cache, fixture.another()].map((cache) => keep(cache, A)),
      )
      for (const one of kept) expect(await copyOf(one)).toStrictEqual(complete(A))
    })

    test('however the bytes come', async () => {
      await using fixture = await open()
      const bytes = bytesOf(ROOM_BYTES, 9)
      await fc.assert(
        fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 20 }), async (cuts) => {
          const at = [0, ...cuts.toSorted((one, other) => one - other), bytes.length]
          const chunks = at.slice(1).map((end, index) => bytes.subarray(at[index], end))
          const expected = { sizeBytes: bytes.length, sha256: sha256Of(bytes) }
          const kept = await fixture.cache.keep(expected, streamOf(chunks).stream, never)
          expect(await copyOf(kept)).toStrictEqual(complete(bytes))
          await fixture.letTimePass()
        }),
        { numRuns: 20 },
      )
    })

    describe('what is not what was expected is not kept', () => {
      const changed = A.with(150_000, (A[150_000] ?? 0) ^ 1)
      const half = A.subarray(0, 150_000)
      test.each([
        ['another byte', [changed], 'close', { kind: 'asset_corrupt', reason: 'digest' }],
        [
          'one byte more',
          [A, B.subarray(0, 1)],
          'close',
          { kind: 'asset_corrupt', reason: 'longer' },
        ],
        ['more, without an end', [A, B], 'never', { kind: 'asset_corrupt', reason: 'longer' }],
        ['one byte less', [A.subarray(1)], 'close', { kind: 'asset_cut_off' }],
        ['nothing', [], 'close', { kind: 'asset_cut_off' }],
        ['an end in the middle', [half], 'close', { kind: 'asset_cut_off' }],
        ['a broken connection', [half], 'error', { kind: 'asset_cut_off' }],
        ['a connection that was broken before', [], 'error', { kind: 'asset_cut_off' }],
        ['silence', [half], 'never', { kind: 'asset_stalled' }],
      ] as const)('%s', async (_, chunks, end, failure) => {
        await using fixture = await open()
        const { stream, isCancelled } = streamOf(chunks, end)
        const expected = { sizeBytes: A.length, sha256: sha256Of(A) }
        const kept = await fixture.cache.keep(expected, stream, never)
        expect(kept).toStrictEqual({ ok: false, error: failure })
        expect(await fixture.cache.find(sha256Of(A))).toBeUndefined()
        expect(await fixture.cache.find(sha256Of(changed))).toBeUndefined()
        if (end === 'never') expect(isCancelled()).toBe(true)
        expect(await copyOf(await keep(fixture.cache, A))).toStrictEqual(complete(A))
      })
    })

    test('what is slow, but never silent for long, is kept', async () => {
      await using fixture = await open()
      jest.useFakeTimers()
      async function* slowly() {
        for (let start = 0; start < 5; start += 1) {
          jest.advanceTimersByTime(STALL_MS / 2)
          yield A.slice(start * 60_000, (start + 1) * 60_000)
        }
      }
      const expected = { sizeBytes: A.length, sha256: sha256Of(A) }
      const stream = streamOf(slowly()).stream
      expect(await copyOf(await fixture.cache.keep(expected, stream, never))).toStrictEqual(
        complete(A),
      )
    })

    test('the signal ends it, also when it came before', async () => {
      await using fixture = await open()
      const expected = { sizeBytes: A.length, sha256: sha256Of(A) }
      for (const waitMs of [0, 50]) {
        const stop = new AbortController()
        const { stream, isCancelled } = streamOf([A.subarray(1)], 'never')
        if (waitMs === 0) stop.abort()
        else setTimeout(() => stop.abort(), waitMs)
        const kept = await fixture.cache.keep(expected, stream, stop.signal)
        expect(kept).toStrictEqual({ ok: false, error: { kind: 'asset_cut_off' } })
        expect(isCancelled()).toBe(true)
      }
    })

    describe('bounds', () => {
      test('what was not asked for longest goes first', async () => {
        await using fixture = await open()
        const { cache } = fixture
        for (const bytes of [A, B, C]) await keep(cache, bytes)
        await fixture.letTimePass()
        await cache.find(sha256Of(A))
        expect(await copyOf(await keep(cache, D))).toStrictEqual(complete(D))
        const found = await Promise.all([A, B, C, D].map((bytes) => cache.find(sha256Of(bytes))))
        expect(found.filter(Boolean).length).toBe(3)
        expect(found[0]).toBeDefined()
        expect(found[3]).toBeDefined()
      })

      test('what was asked for just now does not go', async () => {
        await using fixture = await open()
        const { cache } = fixture
        for (const bytes of [A, B, C]) await keep(cache, bytes)
        const { stream, isCancelled } = streamOf([D])
        const expected = { sizeBytes: D.length, sha256: sha256Of(D) }
        const full = { ok: false as const, error: { kind: 'asset_cache_full' as const } }
        expect(await cache.keep(expected, stream, never)).toStrictEqual(full)
        expect(isCancelled()).toBe(true)
        for (const bytes of [A, B, C])
          expect(await shown(await cache.find(sha256Of(bytes)))).toStrictEqual(complete(bytes))
      })

      test('what can never have room takes none from others', async () => {
        await using fixture = await open()
        const { cache } = fixture
        for (const bytes of [A, B, C]) await keep(cache, bytes)
        await fixture.letTimePass()
        const full = { ok: false as const, error: { kind: 'asset_cache_full' as const } }
        expect(await keep(cache, bytesOf(ROOM_BYTES + 1))).toStrictEqual(full)
        for (const bytes of [A, B, C])
          expect(await shown(await cache.find(sha256Of(bytes)))).toStrictEqual(complete(bytes))
      })

      test('what is being fetched counts, also elsewhere, until it is given up', async () => {
        await using fixture = await open()
        const { cache } = fixture
        const large = bytesOf(800_000, 5)
        const stop = new AbortController()
        const expected = { sizeBytes: large.length, sha256: sha256Of(large) }
        const begun = Promise.withResolvers<void>()
        async function* slowly() {
          begun.resolve()
          yield large.slice(0, 8_000)
          await until(() => stop.signal.aborted)
        }
        // It is never silent for too long.
        jest.useFakeTimers()
        const fetching = cache.keep(expected, streamOf(slowly()).stream, stop.signal)
        await begun.promise
        const full = { ok: false as const, error: { kind: 'asset_cache_full' as const } }
        expect(await keep(cache, A)).toStrictEqual(full)
        expect(await keep(fixture.another(), A)).toStrictEqual(full)
        stop.abort()
        await fetching
        expect(await copyOf(await keep(cache, A))).toStrictEqual(complete(A))
      })
    })
  })
}
