import { describe, expect, test } from 'bun:test'
import { applicationFiles } from '#tests/support/application.ts'
import { GITOPS, openPortal } from '#tests/support/portal.ts'
import {
  confirm,
  fileAt,
  git,
  openShop,
  OVERLAY,
  promote,
  pullOf,
  state,
} from '#tests/support/promotion.ts'

describe('asking again', () => {
  test('finds the same pull request, and updates it when something changed', async () => {
    await using portal = await openShop()
    const first = await promote(portal, 'development', { replicas: 1 })
    const again = await promote(portal, 'development', { replicas: 1 })
    expect(again).toMatchObject({
      status: 200,
      body: {
        created: false,
        updated: false,
        pullRequest: { number: 1 },
        commit: first.body['commit'],
      },
    })
    const changed = await promote(portal, 'development', { replicas: 2 })
    expect(changed).toMatchObject({
      status: 200,
      body: { created: false, updated: true, pullRequest: { number: 1 } },
    })
    expect(changed.body['commit']).not.toBe(first.body['commit'])
    const patch = `${OVERLAY}/dev/patch-xtenant-app.yaml`
    expect(await fileAt(portal, patch, 'promote/payments/shop/dev')).toContain('replicas: 2')
  })

  test('twenty at once make one pull request', async () => {
    await using portal = await openShop()
    await portal.signIn('platform')
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        promote(portal, 'development', { replicas: index % 2 }),
      ),
    )
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toStrictEqual([
      ...Array<number>(19).fill(200),
      201,
    ])
    expect(new Set(answers.map((answer) => pullOf(answer).number))).toStrictEqual(new Set([1]))
    expect(await portal.git.findPullRequests(GITOPS, {})).toMatchObject({ value: { length: 1 } })
  })

  test('twenty confirmations at once make one commit', async () => {
    await using portal = await openShop()
    await promote(portal, 'development')
    await portal.merge(1)
    const before = Number(await git(portal, 'rev-list', '--count', 'main'))
    const answers = await Promise.all(Array.from({ length: 20 }, () => confirm(portal)))
    const statuses = answers.map(({ body }) => String(body['status'])).toSorted()
    expect(new Set(statuses)).toStrictEqual(new Set(['already_confirmed', 'confirmed']))
    expect(statuses.filter((status) => status === 'confirmed')).toHaveLength(1)
    expect(Number(await git(portal, 'rev-list', '--count', 'main'))).toBe(before + 1)
  })

  test('a closed pull request does not block the next', async () => {
    await using portal = await openShop()
    await promote(portal, 'development')
    await portal.closePull(1)
    expect((await state(portal)).body).toMatchObject({
      pullRequests: [],
      environments: [{ state: 'pr_closed', pullRequest: 1 }, {}, {}],
      confirm: { available: false, reason: 'PR #1 was closed' },
    })
    expect(await confirm(portal)).toMatchObject({ status: 409, body: { code: 'pr_closed' } })
    expect(await promote(portal, 'development')).toMatchObject({
      status: 201,
      body: { pullRequest: { number: 2 }, branch: 'promote/payments/shop/dev.2' },
    })
    expect((await state(portal)).body).toMatchObject({
      pullRequests: [{ number: 2, state: 'open' }],
    })
  })

  test('sixteen applications at once, and no conflict reaches anybody', async () => {
    const apps = Array.from({ length: 16 }, (_, index) => `app-${index}`)
    await using portal = await openPortal({
      files: Object.assign({}, ...apps.map((app) => applicationFiles({ app }))),
    })
    await portal.signIn('platform')
    const statuses = await Promise.all(
      apps.map(async (app) => {
        const response = await portal.request(
          `/api/v1/catalog/entities/component/${app}/promotion`,
          { as: 'platform', json: { targetLifecycle: 'development' } },
        )
        return response.status
      }),
    )
    expect(new Set(statuses)).toStrictEqual(new Set([201]))
  })
})
