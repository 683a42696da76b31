import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import {
  decodeCursor,
  encodeCursor,
  ITEMS_MAX,
  listResource,
  type ListRequest,
} from '#src/lib/domain/clusters/listing.ts'
import type { ClusterFailure, ListQuery, Page } from '#src/lib/ports/clusters.ts'
import { Label } from '#src/lib/names.ts'
import { err, ok, type Result } from '#src/lib/result.ts'
import { clusterOf, grantedAccess } from './cluster-request.ts'

const SCOPE = ['dev-east', 'payments-dev', 'pods']
const all: ListRequest = { labelSelector: null, cursor: null }

type ReadPage = (query: ListQuery) => Promise<Result<Page<string>, ClusterFailure>>

const gather = (request: ListRequest, read: ReadPage) =>
  listResource(
    { plural: 'pods', list: (_, query) => read(query), watch: async function* () {} },
    grantedAccess({ cluster: clusterOf('dev-east'), namespace: Label.of('payments-dev') }),
    request,
  )

/** An API server with so many items, which counts where a page begins. */
function listOf(total: number, failure?: { readonly at: number; readonly with: ClusterFailure }) {
  const asked: ListQuery[] = []
  const read = async (query: ListQuery): Promise<Result<Page<string>, ClusterFailure>> => {
    asked.push(query)
    const start = Number(query.after ?? 0)
    if (failure?.at === start) return err(failure.with)
    const end = Math.min(start + query.limit, total)
    return ok({
      items: Array.from({ length: end - start }, (_, index) => show(start + index)),
      next: end < total ? String(end) : null,
      resourceVersion: '7',
      bytes: 1,
    })
  }
  return { asked, read }
}

const show = (item: number) => `item-${item}`

describe('gather', () => {
  test.each([0, 1, 499, 500, 501, 5_000])('shows all of %d items', async (total) => {
    const { asked, read } = listOf(total)
    const listing = await gather(all, read)
    expect(listing).toMatchObject({ ok: true, value: { cursor: null } })
    if (listing.ok) {
      expect(listing.value.items).toStrictEqual(Array.from({ length: total }, (_, i) => show(i)))
    }
    expect(asked.every(({ limit }) => limit === 500)).toBe(true)
  })

  test('shows five thousand at a time, and goes on where it ended', async () => {
    const { asked, read } = listOf(12_345)
    const seen: string[] = []
    let cursor: string | null = null
    for (let rounds = 0; rounds < 3; rounds++) {
      const listing: Awaited<ReturnType<typeof gather>> = await gather({ ...all, cursor }, read)
      if (!listing.ok) throw new Error(listing.error.kind)
      expect(listing.value.items.length).toBeLessThanOrEqual(ITEMS_MAX)
      seen.push(...listing.value.items)
      cursor = listing.value.cursor
    }
    expect(cursor).toBeNull()
    expect(seen).toHaveLength(12_345)
    expect(new Set(seen).size).toBe(12_345)
    expect(asked).toHaveLength(25)
  })

  test.each([
    ['no cursor', 'nonsense'],
    ['no base64', '%%%'],
    ['of another namespace', encodeCursor(['dev-east', 'payments', 'pods', ''], '500')],
    ['of another kind', encodeCursor(['dev-east', 'payments-dev', 'deployments', ''], '500')],
    ['of another selector', encodeCursor([...SCOPE, 'app=x'], '500')],
    ['of something longer', encodeCursor([...SCOPE, '', 'more'], '500')],
  ])('a cursor that is %s is refused, and nobody is asked', async (_, cursor) => {
    const { asked, read } = listOf(10)
    const listing = await gather({ ...all, cursor }, read)
    expect(listing).toMatchObject({
      error: { kind: 'validation_failed', errors: [{ path: '/query/cursor' }] },
    })
    expect(asked).toStrictEqual([])
  })

  // prettier-ignore
  test.each<[string, Partial<ListRequest>, ClusterFailure, object]>([
    ['a selector that the cluster does not read', { labelSelector: 'a b' }, { kind: 'cluster_invalid', message: 'x' },
      { kind: 'validation_failed', errors: [{ path: '/query/labelSelector' }] }],
    ['a list of all that the cluster refuses',    {},                      { kind: 'cluster_invalid', message: 'x' }, { kind: 'cluster_error' }],
    ['a list that was forgotten',                 {},                      { kind: 'cluster_expired' },  { kind: 'cursor_expired' }],
    ['anything else',                             {},                      { kind: 'cluster_timeout' },  { kind: 'cluster_timeout' }],
  ])('%s is its own failure', async (_, request, failure, expected) => {
    const { read } = listOf(10, { at: 0, with: failure })
    expect(await gather({ ...all, ...request }, read)).toMatchObject({ error: expected })
  })

  test.each([null, 'app=x'])(
    'a cursor whose inside the cluster does not read is no cursor, with the selector %j',
    async (labelSelector) => {
      const { read } = listOf(10, { at: 5, with: { kind: 'cluster_invalid', message: 'x' } })
      const cursor = encodeCursor([...SCOPE, labelSelector ?? ''], '5')
      expect(await gather({ labelSelector, cursor }, read)).toMatchObject({
        error: { errors: [{ path: '/query/cursor' }] },
      })
    },
  )

  test('ends with a cursor when the pages have become too large', async () => {
    let pages = 0
    const listing = await gather(all, async () => {
      pages++
      const bytes = 25 * 1024 * 1024
      return ok({ items: ['x'], next: String(pages), resourceVersion: '7', bytes })
    })
    expect(pages).toBe(4)
    expect(listing).toMatchObject({ value: { cursor: expect.any(String) as string } })
  })

  test('asks fifty times of an API server that gives little at a time, then leads on', async () => {
    const asked: ListQuery[] = []
    const listing = await gather({ ...all, labelSelector: 'app=x' }, async (query) => {
      asked.push(query)
      return ok({ items: [], next: String(asked.length), resourceVersion: '7', bytes: 1 })
    })
    expect(asked.map(({ labelSelector }) => labelSelector)).toStrictEqual(Array(50).fill('app=x'))
    const cursor = listing.ok ? listing.value.cursor : null
    expect(decodeCursor(cursor ?? '', [...SCOPE, 'app=x'])).toBe('50')
  })

  test('a failure on a later page is no shorter list', async () => {
    const { read } = listOf(2_000, { at: 1_500, with: { kind: 'cluster_timeout' } })
    expect(await gather(all, read)).toStrictEqual(err({ kind: 'cluster_timeout' }))
  })
})

test('a cursor comes back for the list that it was made for, and for no other', () => {
  const parts = fc.array(fc.string(), { minLength: 1, maxLength: 5 })
  fc.assert(
    fc.property(parts, parts, fc.string(), (of, other, after) => {
      const cursor = encodeCursor(of, after)
      expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/)
      expect(decodeCursor(cursor, of)).toBe(after)
      fc.pre(JSON.stringify(of) !== JSON.stringify(other))
      expect(decodeCursor(cursor, other)).toBeUndefined()
    }),
  )
})
