import { describe, expect, test } from 'bun:test'
import { applicationFiles } from '#tests/support/application.ts'
import { noteCalls } from '#tests/support/git-calls.ts'
import { openPortal } from '#tests/support/portal.ts'
import { commitAs, confirm, openShop, preview, promote, state } from '#tests/support/promotion.ts'

describe('calls of the git host', () => {
  test('for a promotion, the first of its team too', async () => {
    await using portal = await openShop()
    await state(portal)
    const { take } = noteCalls(portal.git)
    expect((await promote(portal, 'development')).status).toBe(201)
    const first = take()
    expect(first).toStrictEqual([
      'head',
      'findPullRequests',
      'listBranches',
      'commit',
      'openPullRequest',
    ])
    await portal.closePull(1)
    expect((await promote(portal, 'development')).status).toBe(201)
    const next = take()
    expect(next).toStrictEqual([
      'head',
      'findPullRequests',
      'listBranches',
      // Those of the highest branch: it is not one that a killed process left.
      'findPullRequests',
      'commit',
      'openPullRequest',
    ])
  })

  test('for a release, which reads the overlay that it changes', async () => {
    await using portal = await openShop()
    await promote(portal, 'development', { replicas: 1 })
    await portal.merge(1)
    await confirm(portal)
    await state(portal)
    const { take } = noteCalls(portal.git)
    const released = await promote(portal, 'development', { image: { tag: '2' } })
    expect(released.status).toBe(201)
    expect(take().toSorted()).toStrictEqual([
      'commit',
      // Those of the highest branch: it is not one that a killed process left.
      'findPullRequests',
      'findPullRequests',
      'head',
      'listBranches',
      'openPullRequest',
    ])
  })

  test('for an update, and for a request that changes nothing', async () => {
    await using portal = await openShop()
    await promote(portal, 'development', { replicas: 1 })
    const { take } = noteCalls(portal.git)
    await promote(portal, 'development', { replicas: 2 })
    expect(take()).toStrictEqual([
      'head',
      'findPullRequests',
      'head',
      'listCommits',
      'commit',
      // Whether it is still open.
      'findPullRequests',
    ])
    await promote(portal, 'development', { replicas: 2 })
    expect(take()).toStrictEqual(['head', 'findPullRequests', 'head', 'listCommits'])
  })

  test('for a confirmation that leaves the target to Portico: its entity is read once', async () => {
    await using portal = await openShop()
    await promote(portal, 'development', { replicas: 1 })
    await portal.merge(1)
    await state(portal)
    const { take } = noteCalls(portal.git)
    expect((await confirm(portal)).status).toBe(200)
    const calls = take()
    // What follows is the state of the answer.
    const effects = calls.slice(0, calls.indexOf('commit') + 1)
    expect(effects).toStrictEqual(['head', 'findPullRequests', 'listBranches', 'commit'])
  })

  test('for a dry run', async () => {
    await using portal = await openShop()
    await commitAs(portal, 'promote/payments/till/dev', { x: 'x' })
    await state(portal)
    const { take } = noteCalls(portal.git)
    await preview(portal, 'development')
    expect(take()).toStrictEqual(['head', 'findPullRequests', 'listBranches'])
  })

  test('for a state: closed pull requests are asked for only where there is nothing else', async () => {
    const callsFor = async (files: Readonly<Record<string, string>>) => {
      await using portal = await openPortal({ files: { ...applicationFiles(), ...files } })
      await state(portal)
      const { take } = noteCalls(portal.git)
      await state(portal)
      return take()
    }
    const overlay = 'apps/payments/shop/overlays/dev/kustomization.yaml'
    const nothingElse = ['listBranches', 'findPullRequests']
    expect(await callsFor({})).toStrictEqual(['head', 'findPullRequests', ...nothingElse])
    expect(await callsFor({ [overlay]: 'resources: [../../base]' })).toStrictEqual([
      'head',
      'findPullRequests',
    ])
  })
})
