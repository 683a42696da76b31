import { describe, expect, test } from 'bun:test'
import { BranchName } from '#src/lib/names.ts'
import { err, ok } from '#src/lib/result.ts'
import { applicationFiles } from '#tests/support/application.ts'
import { GITOPS, openPortal } from '#tests/support/portal.ts'
import {
  ask,
  auditOf,
  commitAs,
  confirm,
  DEV_BRANCH,
  ENTITY,
  fileAt,
  openShop,
  OVERLAY,
  preview,
  promote,
  pullOf,
  state,
  warningsOf,
} from '#tests/support/promotion.ts'

const KUSTOMIZATION = `${OVERLAY}/dev/kustomization.yaml`
const PATCH = `${OVERLAY}/dev/patch-xtenant-app.yaml`

describe('what others do to our branch', () => {
  test('an update leaves the tag that somebody else wrote', async () => {
    await using portal = await openShop()
    await promote(portal, 'development', { image: { tag: '1.0.0' } })
    const text = await fileAt(portal, KUSTOMIZATION, DEV_BRANCH)
    await commitAs(portal, DEV_BRANCH, { [KUSTOMIZATION]: text.replace('1.0.0', '1.0.1') })
    const updated = await promote(portal, 'development', { replicas: 5 })
    expect(updated.body).toMatchObject({ updated: true, image: { tag: '1.0.1' } })
    expect(await fileAt(portal, KUSTOMIZATION, DEV_BRANCH)).toContain('newTag: 1.0.1')
    const tagged = await promote(portal, 'development', { replicas: 5, image: { tag: '2.0.0' } })
    expect(tagged.body).toMatchObject({ updated: true, image: { tag: '2.0.0' } })
  })

  test('a branch of that name by somebody else stays as it is', async () => {
    await using portal = await openShop()
    await commitAs(portal, DEV_BRANCH, { 'evil.yaml': 'x' })
    const proposed = await promote(portal, 'development')
    expect(proposed.body['branch']).toBe('promote/payments/shop/dev.2')
    const foreign = await portal.git.openPullRequest(GITOPS, {
      head: DEV_BRANCH,
      base: BranchName.of('main'),
      title: '[Promote] payments/shop → dev',
      body: 'Looks like ours',
      author: { name: 'E', email: 'e@e.example' },
    })
    expect(foreign.ok).toBe(true)
    expect((await state(portal)).body['pullRequests']).toHaveLength(1)
    expect(pullOf(await promote(portal, 'development')).number).toBe(1)
  })

  test('nor does one with our mark on a second commit belong to us', async () => {
    await using portal = await openShop()
    await commitAs(portal, DEV_BRANCH, { 'evil.yaml': 'x' })
    const mark = `Innocent\n\nPortico-Move: ${DEV_BRANCH}\n`
    await commitAs(portal, DEV_BRANCH, { 'evil.yaml': 'y' }, mark)
    expect((await promote(portal, 'development')).body['branch']).toBe(`${DEV_BRANCH}.2`)
    expect(await fileAt(portal, 'evil.yaml', DEV_BRANCH)).toBe('y')
  })

  test('a pull request that opened for another commit meanwhile gets what was asked for', async () => {
    await using portal = await openShop()
    const host = { ...portal.git }
    portal.git.openPullRequest = async (...args) => {
      portal.git.openPullRequest = (...again) => host.openPullRequest(...again)
      const text = await fileAt(portal, PATCH, DEV_BRANCH)
      await commitAs(portal, DEV_BRANCH, { [PATCH]: text.replace('replicas: 3', 'replicas: 9') })
      await host.openPullRequest(...args)
      return host.openPullRequest(...args)
    }
    expect(await promote(portal, 'development', { replicas: 3 })).toMatchObject({
      status: 200,
      body: { created: false, updated: true },
    })
    expect(await fileAt(portal, PATCH, DEV_BRANCH)).toContain('replicas: 3')
  })

  test('a branch that somebody planted does not decide what is proposed', async () => {
    await using portal = await openShop()
    await commitAs(portal, DEV_BRANCH, {
      [KUSTOMIZATION]:
        'resources: [../../base]\nimages: [{name: ghcr.io/acme/shop, newTag: 6.6.6-evil}]\n',
    })
    const proposed = await promote(portal, 'development')
    expect(proposed.body).toMatchObject({ branch: `${DEV_BRANCH}.2`, image: { tag: null } })
  })

  test('an update leaves everything of the images that somebody else wrote', async () => {
    await using portal = await openShop()
    await promote(portal, 'development', { image: { tag: '1.0.0' } })
    const text = `${await fileAt(portal, KUSTOMIZATION, DEV_BRANCH)}    newName: mirror.acme.example/shop # ours\n  - name: sidecar\n    newTag: 9.9.9\n`
    await commitAs(portal, DEV_BRANCH, { [KUSTOMIZATION]: text })
    await promote(portal, 'development', { replicas: 9 })
    expect(await fileAt(portal, KUSTOMIZATION, DEV_BRANCH)).toBe(text)
  })

  test('a conflict is shown, and warned of', async () => {
    await using portal = await openShop()
    await promote(portal, 'development', { replicas: 1 })
    await portal.commit({ [`${OVERLAY}/dev/patch-xtenant-app.yaml`]: 'somebody: else\n' })
    expect((await state(portal)).body).toMatchObject({
      pullRequests: [{ number: 1, mergeable: 'conflicting' }],
      confirm: { available: false, reason: 'PR #1 pending' },
    })
    expect((await promote(portal, 'development', { replicas: 1 })).body).toMatchObject({
      pullRequest: { number: 1 },
      warnings: [{ code: 'untagged_image' }, { code: 'conflicting' }],
    })
    expect(warningsOf(await preview(portal, 'development'))).toContain('conflicting')
    // As hosts answer whose listings do not tell.
    const host = { ...portal.git }
    portal.git.findPullRequests = async (...args) => {
      const found = await host.findPullRequests(...args)
      const untold = { mergeable: 'unknown' } as const
      return found.ok ? ok(found.value.map((pull) => ({ ...pull, ...untold }))) : found
    }
    expect(warningsOf(await preview(portal, 'development'))).toContain('conflicting')
  })
})

describe('a branch of others where ours would be', () => {
  const blocked = (branch: string) => ({
    status: 409,
    body: {
      code: 'branch_blocked',
      detail: `git cannot create it beside the branch ${branch}: rename or delete ${branch}`,
    },
  })
  const DEPRECATION = { targetLifecycle: 'deprecated' }

  test.each(['promote', 'promote/payments', 'promote/payments/shop'])(
    '%s leaves no room for a promotion, and that is found out before a secret is written',
    async (branch) => {
      await using portal = await openShop()
      await commitAs(portal, branch, { x: 'x' })
      const wish = { secrets: { A: 'a' } }
      expect(await preview(portal, 'development', wish)).toMatchObject(blocked(branch))
      expect(await promote(portal, 'development', wish)).toMatchObject(blocked(branch))
      expect(await portal.secretVersions()).toStrictEqual([])
      expect(await auditOf(portal)).toMatchObject([
        { result: 'denied', code: 'git_branch_blocked', details: { dryRun: true } },
        { result: 'denied', code: 'git_branch_blocked' },
      ])
    },
  )

  test('deprecate/payments leaves no room for a deprecation', async () => {
    await using portal = await openShop()
    await commitAs(portal, 'deprecate/payments', { x: 'x' })
    expect(await ask(portal, 'POST', '', 'platform', DEPRECATION)).toMatchObject(
      blocked('deprecate/payments'),
    )
  })

  test('lifecycle/payments/shop leaves no room for a confirmation by pull request', async () => {
    await using portal = await openPortal({
      files: { ...applicationFiles(), [KUSTOMIZATION]: 'resources: [../../base]\n' },
    })
    await commitAs(portal, 'lifecycle/payments/shop', { x: 'x' })
    const host = { ...portal.git }
    portal.git.commit = async (repository, request) =>
      request.branch === 'main'
        ? err({ kind: 'git_denied', what: 'main is protected' })
        : host.commit(repository, request)
    expect(await confirm(portal)).toMatchObject(blocked('lifecycle/payments/shop'))
  })

  test('nothing is written while nobody knows', async () => {
    await using portal = await openShop()
    const host = { ...portal.git }
    portal.git.listBranches = async (repository, prefix) =>
      prefix === 'promote'
        ? err({ kind: 'git_host_timeout' })
        : host.listBranches(repository, prefix)
    expect(await promote(portal, 'development', { secrets: { A: 'a' } })).toMatchObject({
      status: 504,
      body: { code: 'git_host_timeout' },
    })
    expect(await portal.secretVersions()).toStrictEqual([])
  })

  test('one that comes while secrets are written is named too', async () => {
    await using portal = await openShop()
    const host = { ...portal.git }
    portal.git.commit = async (...args) => {
      portal.git.commit = (...again) => host.commit(...again)
      await commitAs(portal, 'promote/payments', { x: 'x' })
      return host.commit(...args)
    }
    expect(await promote(portal, 'development')).toMatchObject(blocked('promote/payments'))
  })

  test.each([
    ['promote/payments/shop/dev/x', 'development', 'promote/payments/shop/dev.2'],
    ['deprecate/payments/shop/x', 'deprecated', 'deprecate/payments/shop.2'],
  ])('below %s there is room beside it', async (branch, target, ours) => {
    await using portal = await openShop()
    await commitAs(portal, branch, { x: 'x' })
    expect((await preview(portal, target)).status).toBe(200)
    expect(await promote(portal, target)).toMatchObject({ status: 201, body: { branch: ours } })
  })

  test.each(['promote-payments', 'promote/payments/shopping', 'promote/payments/shop.x'])(
    '%s is in nobody’s way',
    async (branch) => {
      await using portal = await openShop()
      await commitAs(portal, branch, { x: 'x' })
      expect((await promote(portal, 'development')).status).toBe(201)
    },
  )
})

describe('commits of others on the branch of our pull request', () => {
  test('are warned of by the dry run and by the update, whatever they change', async () => {
    await using portal = await openShop()
    const wish = { replicas: 1, image: { tag: '1' } }
    await promote(portal, 'development', wish)
    await promote(portal, 'development', { ...wish, replicas: 2 })
    expect(warningsOf(await preview(portal, 'development', wish))).toStrictEqual([])
    expect(warningsOf(await promote(portal, 'development', wish))).toStrictEqual([])

    await commitAs(portal, DEV_BRANCH, { 'evil.yaml': 'x' })
    for (const asked of [preview, promote, promote]) {
      const answer = await asked(portal, 'development', { ...wish, replicas: 3 })
      expect(answer.body['warnings']).toStrictEqual([
        {
          code: 'foreign_commits',
          message: expect.stringMatching(/^1 commit /) as unknown,
        },
      ])
    }
    await commitAs(portal, DEV_BRANCH, { [`${OVERLAY}/dev/patch-xtenant-app.yaml`]: 'x: 1\n' })
    expect((await promote(portal, 'development', wish)).body['warnings']).toMatchObject([
      { message: expect.stringMatching(/^2 commits /) as unknown },
    ])
  })

  test('do not hide behind another move’s mark', async () => {
    await using portal = await openShop()
    const wish = { image: { tag: '1' } }
    await promote(portal, 'development', wish)
    const theirs = 'Innocent\n\nPortico-Move: promote/payments/till/dev\n'
    await commitAs(portal, DEV_BRANCH, { 'evil.yaml': 'x' }, theirs)
    expect(warningsOf(await promote(portal, 'development', wish))).toStrictEqual([
      'foreign_commits',
    ])
  })

  test('are warned of for a deprecation, of what has no application too', async () => {
    const files = applicationFiles({ lifecycle: 'brand-new' })
    await using portal = await openPortal({ files: { [ENTITY]: files[ENTITY] ?? '' } })
    expect(warningsOf(await promote(portal, 'deprecated'))).toStrictEqual([])
    expect(warningsOf(await preview(portal, 'deprecated', { secrets: { A: 'a' } }))).toStrictEqual([
      'overlay_unchanged',
    ])
    await commitAs(portal, 'deprecate/payments/shop', { 'evil.yaml': 'x' })
    expect(warningsOf(await preview(portal, 'deprecated'))).toStrictEqual(['foreign_commits'])
    expect(warningsOf(await promote(portal, 'deprecated'))).toStrictEqual(['foreign_commits'])
  })

  test('what came to the default branch since is nobody’s commit', async () => {
    await using portal = await openShop()
    const wish = { image: { tag: '1' } }
    await promote(portal, 'development', wish)
    await portal.commit({ 'notes.md': 'x' })
    expect(warningsOf(await promote(portal, 'development', wish))).toStrictEqual([])
  })
})
