import { describe, expect, test } from 'bun:test'
import { createCatalog } from '#src/lib/domain/catalog/catalog.ts'
import { value } from '#tests/contracts/git-host.ts'
import { entity } from '#tests/support/hostile-yaml.ts'
import { until } from '#tests/support/until.ts'
import { createRepository, DOWN, type Files, sourceOf } from './repository.ts'

const SECOND = 1_000
const T0 = Date.UTC(2026, 10, 21)

function world(files: Files = { 'catalog/a.yaml': entity('a') }) {
  const repository = createRepository(files)
  const clock = { time: T0, now: () => clock.time }
  const loaded: string[] = []
  const catalog = createCatalog({
    ...sourceOf(repository),
    ttlSeconds: 300,
    maxStaleSeconds: 3_600,
    clock,
    onLoaded: (outcome) => loaded.push(outcome.ok ? outcome.value.commit : outcome.error.kind),
  })
  const names = async () => {
    const { value: snapshot, stale } = value(await catalog.read())
    return { names: snapshot.entities.map(({ card }) => card.name), stale }
  }
  return { repository, clock, loaded, catalog, names }
}

test('what is committed shows after the webhook, at once', async () => {
  const { repository, catalog, names } = world()
  expect(await names()).toStrictEqual({ names: ['a'], stale: false })
  repository.commit({ 'catalog/b.yaml': entity('b') })
  expect(await names()).toStrictEqual({ names: ['a'], stale: false })
  catalog.invalidate()
  expect(await names()).toStrictEqual({ names: ['b'], stale: false })
})

test('what is committed shows without it in ten seconds, and one read', async () => {
  const { repository, clock, names, catalog } = world()
  await names()
  repository.commit({ 'catalog/b.yaml': entity('b') })
  clock.time += 10 * SECOND
  expect(await names()).toStrictEqual({ names: ['a'], stale: false })
  await until(() => catalog.peek()?.loadedAt !== T0)
  expect(await names()).toStrictEqual({ names: ['b'], stale: false })
})

describe('at the head', () => {
  test('is what was committed a moment ago, without a webhook', async () => {
    const { repository, catalog } = world()
    await catalog.read()
    const commit = repository.commit({ 'catalog/b.yaml': entity('b') })
    expect(value(await catalog.atHead())).toMatchObject({ branch: 'main', snapshot: { commit } })
  })

  test('is the newer commit when the branch moves on before it is loaded', async () => {
    const { repository, catalog } = world()
    await catalog.read()
    repository.commit({ 'catalog/b.yaml': entity('b') })
    const reading = catalog.atHead()
    const commit = repository.commit({ 'catalog/c.yaml': entity('c') })
    expect(value(await reading)).toMatchObject({ snapshot: { commit } })
  })

  test('is never stale data', async () => {
    const { repository, catalog } = world()
    await catalog.read()
    repository.commit({ 'catalog/b.yaml': entity('b') })
    repository.failing.add('listFiles')
    expect(await catalog.atHead()).toStrictEqual({ ok: false, error: DOWN })
    repository.failing.add('head')
    expect(await catalog.atHead()).toStrictEqual({ ok: false, error: DOWN })
  })
})

test('1,000 webhooks and reads at once ask the host for two loads', async () => {
  const { repository, catalog, names } = world()
  await names()
  repository.calls.length = 0
  await Promise.all(
    Array.from({ length: 1_000 }, () => {
      catalog.invalidate()
      return names()
    }),
  )
  expect(repository.calls.filter((call) => call === 'head').length).toBeLessThanOrEqual(2)
})

test('a host that is down: stale for an hour, then nothing, then it is back', async () => {
  const { repository, clock, names, catalog, loaded } = world()
  await names()
  repository.failing.add('head')
  clock.time += 300 * SECOND
  expect(await names()).toStrictEqual({ names: ['a'], stale: true })
  clock.time += 3_600 * SECOND
  expect(await names()).toStrictEqual({ names: ['a'], stale: true })
  clock.time += 3 * SECOND
  expect(await catalog.read()).toStrictEqual({ ok: false, error: DOWN })
  repository.failing.clear()
  clock.time += 2 * SECOND
  expect(await names()).toStrictEqual({ names: ['a'], stale: false })
  expect(loaded).toStrictEqual([
    repository.head,
    ...Array<string>(3).fill(DOWN.kind),
    repository.head,
  ])
})

describe('a host that allows no calls for an hour', () => {
  test('is asked once, however many webhooks and reads there are; the last catalog is served', async () => {
    const { repository, clock, catalog, names, loaded } = world()
    await names()
    repository.commit({ 'catalog/b.yaml': entity('b') })
    repository.failWith = { kind: 'git_rate_limited', retryAfterSeconds: 3_600 }
    repository.failing.add('listFiles')
    repository.calls.length = 0
    loaded.length = 0
    for (let minute = 0; minute < 60; minute += 1) {
      catalog.invalidate()
      expect(await names()).toStrictEqual({ names: ['a'], stale: true })
      expect(await catalog.atHead()).toMatchObject({
        ok: false,
        error: { kind: 'git_rate_limited', retryAfterSeconds: 3_600 - minute * 60 },
      })
      clock.time += 60 * SECOND
    }
    expect(repository.calls).toStrictEqual(['head', 'listFiles'])
    expect(loaded).toStrictEqual(['git_rate_limited'])
    repository.failing.clear()
    expect(await names()).toStrictEqual({ names: ['b'], stale: false })
  })

  test('is asked once more in each further window, by a promotion too', async () => {
    const { repository, clock, catalog } = world()
    repository.failWith = { kind: 'git_rate_limited', retryAfterSeconds: 60 }
    repository.failing.add('head')
    for (let second = 0; second < 180; second += 1) {
      expect((await catalog.atHead()).ok).toBe(false)
      expect((await catalog.read()).ok).toBe(false)
      clock.time += SECOND
    }
    expect(repository.calls).toStrictEqual(['head', 'head', 'head'])
  })

  test('is asked again when the clock was set back to before the refusal', async () => {
    const { repository, clock, catalog } = world()
    repository.failWith = { kind: 'git_rate_limited', retryAfterSeconds: 60 }
    repository.failing.add('head')
    expect((await catalog.atHead()).ok).toBe(false)
    clock.time -= 3_600 * SECOND
    repository.failing.clear()
    expect((await catalog.atHead()).ok).toBe(true)
  })
})
