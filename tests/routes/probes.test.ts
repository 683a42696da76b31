import { describe, expect, test } from 'bun:test'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { gitText } from '#src/lib/git/git.ts'
import type { SecretStoreFailure } from '#src/lib/ports/secret-store.ts'
import { err } from '#src/lib/result.ts'
import { component, openPortal } from '#tests/support/portal.ts'

describe('healthz', () => {
  test('says ok, whatever else is down', async () => {
    await using portal = await openPortal()
    portal.git.failWith = 'git_host_unreachable'
    const response = await portal.request('/healthz')
    expect([response.status, await response.json()]).toStrictEqual([200, { status: 'ok' }])
  })
})

describe('readyz', () => {
  test('is 503 until the first check and the first load, then 200, then 503 while draining', async () => {
    await using portal = await openPortal()
    expect((await portal.request('/readyz')).status).toBe(503)
    await portal.portal.catalog.read()
    expect((await portal.request('/readyz')).status).toBe(503)
    await portal.portal.readiness.start()
    const ready = await portal.request('/readyz')
    expect([ready.status, await ready.json()]).toStrictEqual([200, { status: 'ready' }])
    portal.portal.drain()
    const draining = await portal.request('/readyz')
    expect(draining.status).toBe(503)
    expect(await draining.json()).toMatchObject({ code: 'not_ready', status: 503 })
  })

  test('is 503 when the git host cannot be reached, and tells why only with a session', async () => {
    await using portal = await openPortal()
    portal.git.failWith = 'git_host_unreachable'
    await portal.portal.readiness.start()
    const anonymous = (await (await portal.request('/readyz')).json()) as object
    expect(Object.keys(anonymous).toSorted()).toStrictEqual([
      'code',
      'instance',
      'requestId',
      'status',
      'title',
      'type',
    ])
    const known = await portal.request('/readyz', { as: 'platform' })
    expect(known.headers.get('retry-after')).toBe('5')
    expect(await known.json()).toMatchObject({
      detail: 'git_host_unreachable',
      checks: { git: { ok: false }, database: { ok: true }, secretStore: { ok: true } },
    })
  })

  test('is 503 with keys that open nothing of the secret store, and 200 while the store is away', async () => {
    let failure: SecretStoreFailure = { kind: 'secret_store_denied', what: 'no key opens it' }
    await using portal = await openPortal({
      openSecretStore: (store) => ({ ...store, access: async () => err(failure) }),
    })
    await portal.portal.readiness.start()
    const refused = await portal.request('/readyz', { as: 'dev' })
    expect([refused.status, await refused.json()]).toMatchObject([
      503,
      { detail: 'secret_store_refused', checks: { secretStore: { ok: false } } },
    ])
    failure = { kind: 'secret_store_sealed' }
    await portal.portal.readiness.start()
    await portal.portal.catalog.read()
    const away = await portal.request('/readyz', { as: 'dev' })
    expect([away.status, await away.json()]).toMatchObject([
      200,
      { checks: { secretStore: { ok: false } } },
    ])
  })

  test('is 503 while the head commit cannot be read, with and without a catalog from before', async () => {
    await using portal = await openPortal()
    const objectOfMain = async () => {
      const commit = await gitText(portal.repository, ['rev-parse', 'refs/heads/main'])
      if (!commit.ok) throw new Error(commit.error.kind)
      const id = commit.value.trim()
      return join(portal.repository, 'objects', id.slice(0, 2), id.slice(2))
    }
    const object = await objectOfMain()
    const look = async () => {
      await portal.portal.readiness.start()
      await portal.portal.catalog.read()
      const answer = await portal.request('/readyz', { as: 'dev' })
      return [answer.status, ((await answer.json()) as { detail?: string }).detail]
    }
    await rename(object, `${object}.away`)
    expect(await look()).toStrictEqual([503, 'catalog_unreadable'])
    await rename(`${object}.away`, object)
    portal.clock.advance(3_000)
    expect(await look()).toStrictEqual([200, undefined])

    await portal.commit({ 'catalog/new.yaml': component('new') })
    await rm(await objectOfMain())
    portal.clock.advance(301_000)
    expect(await look()).toStrictEqual([503, 'catalog_unreadable'])
    const list = await portal.request('/api/v1/catalog/entities', { as: 'dev' })
    expect([list.status, list.headers.get('x-catalog-stale')]).toStrictEqual([200, 'true'])
  })

  test('is 200 while the git host refuses calls because of its limit', async () => {
    await using portal = await openPortal()
    await portal.portal.catalog.read()
    portal.git.failWith = 'git_rate_limited'
    await portal.portal.readiness.start()
    expect((await portal.request('/readyz')).status).toBe(200)
  })

  test('tells the single checks only with a session', async () => {
    await using portal = await openPortal()
    await portal.portal.readiness.start()
    const response = await portal.request('/readyz', { as: 'dev' })
    expect(await response.json()).toMatchObject({
      checks: { git: { ok: true }, database: { ok: true }, secretStore: { ok: true } },
    })
  })

  test('needs a session when the letter of the specification is asked for', async () => {
    await using portal = await openPortal({ environment: { READYZ_REQUIRE_SESSION: 'true' } })
    await portal.portal.readiness.start()
    await portal.portal.catalog.read()
    expect((await portal.request('/readyz')).status).toBe(401)
    expect((await portal.request('/readyz', { as: 'dev' })).status).toBe(200)
  })

  test('never asks anything itself', async () => {
    await using portal = await openPortal()
    await portal.portal.readiness.start()
    portal.git.calls.length = 0
    await Promise.all(Array.from({ length: 50 }, () => portal.request('/readyz')))
    expect(portal.git.calls).toStrictEqual([])
  })
})
