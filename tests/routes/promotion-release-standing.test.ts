import { describe, expect, test } from 'bun:test'
import { applyPatch } from 'diff'
import {
  KUSTOMIZATION,
  KUSTOMIZATION_PATH,
  openLive,
  PATCH,
  PATCH_PATH,
} from '#tests/support/live-overlay.ts'
import { manyLines } from '#tests/support/many-lines.ts'
import type { TestPortal } from '#tests/support/portal.ts'
import {
  commitAs,
  fileAt,
  git,
  openShop,
  preview,
  promote,
  state,
  warningsOf,
} from '#tests/support/promotion.ts'

const BRANCH = 'promote/payments/shop/production'

const tagOnMain = (portal: TestPortal, tag: string) =>
  commitAs(portal, 'main', { [KUSTOMIZATION_PATH]: KUSTOMIZATION.replace('1.2', tag) })

/** Merges the first pull request just before the next commit. */
function mergeBeforeCommit(portal: TestPortal): void {
  const host = { ...portal.git }
  portal.git.commit = async (...args) => {
    portal.git.commit = (...again) => host.commit(...again)
    await portal.merge(1)
    return host.commit(...args)
  }
}

/** Adds files to the only commit of the branch, whose message stays. */
async function amend(portal: TestPortal, files: Readonly<Record<string, string>>) {
  await commitAs(portal, BRANCH, files)
  const [message, tree, parent] = await Promise.all([
    git(portal, 'log', '-1', '--format=%B', `${BRANCH}^`),
    git(portal, 'rev-parse', `${BRANCH}^{tree}`),
    git(portal, 'rev-parse', `${BRANCH}^^`),
  ])
  const person = ['-c', 'user.name=E', '-c', 'user.email=e@e.example']
  const [of, on] = [tree.trim(), parent.trim()]
  const commit = await git(portal, ...person, 'commit-tree', of, '-p', on, '-m', message.trim())
  await git(portal, 'update-ref', `refs/heads/${BRANCH}`, commit.trim())
}

describe('a release whose pull request is behind the default branch', () => {
  test('shows what the pull request changes, and nothing of the default branch', async () => {
    await using portal = await openLive()
    await promote(portal, 'production', { replicas: 5 })
    await tagOnMain(portal, '1.3')
    // So does the state.
    expect((await state(portal)).body['environments']).toMatchObject([
      {},
      {},
      { image: { tag: '1.3' }, proposed: { image: { tag: '1.3' }, config: { replicas: 5 } } },
    ])
    const { body } = await preview(portal, 'production', { replicas: 6 })
    expect(body['files']).toMatchObject([
      { path: PATCH_PATH, status: 'modified', content: PATCH.replace('2', '6') },
    ])
    const shown = JSON.stringify(body['files'])
    expect(shown).toContain('-    replicas: 2')
    expect(shown).not.toContain('newTag')
  })

  test('takes the place of its branch where the default branch has changed the same file', async () => {
    await using portal = await openLive()
    await promote(portal, 'production', { replicas: 5 })
    await tagOnMain(portal, '1.3')
    const wish = { image: { tag: '1.2' }, secrets: { KEY: 'a' } }
    const files = [
      { path: KUSTOMIZATION_PATH, content: KUSTOMIZATION },
      { path: PATCH_PATH, content: PATCH.replace('2', '5') },
    ]
    expect((await preview(portal, 'production', wish)).body['files']).toMatchObject(files)
    expect(await promote(portal, 'production', wish)).toMatchObject({
      status: 200,
      body: { updated: true, pullRequest: { number: 1 }, secrets: { version: 1 } },
    })
    expect((await state(portal)).body).toMatchObject({
      pullRequests: [{ number: 1, mergeable: 'clean' }],
      environments: [{}, {}, { proposed: { image: { tag: '1.2' }, config: { replicas: 5 } } }],
    })
    await portal.merge(1)
    expect((await state(portal)).body['environments']).toMatchObject([
      {},
      {},
      { image: { tag: '1.2' }, config: { replicas: 5 }, proposed: null },
    ])
  })

  test('is checked with what a merge leaves: its limits, and where its secrets are read', async () => {
    await using portal = await openLive()
    await promote(portal, 'production', { replicas: 5 })
    const onMain = PATCH.replace('shop/prod/env', 'shop/production/env')
    const limits = '    resources: {limits: {cpu: "1"}}\n'
    await commitAs(portal, 'main', { [PATCH_PATH]: `${onMain}${limits}` })
    const wish = (cpu: string) => ({ resources: { requests: { cpu } }, secrets: { KEY: 'a' } })
    expect(await preview(portal, 'production', wish('1001m'))).toMatchObject({ status: 422 })
    const done = await promote(portal, 'production', wish('1000m'))
    expect(done).toMatchObject({ status: 200, body: { updated: true } })
    expect(warningsOf(done)).toStrictEqual(['secrets_at_once'])
  })

  test('is refused there where others have commits on its branch, or nothing of it would be left', async () => {
    await using portal = await openLive()
    await promote(portal, 'production', { image: { tag: '1.4' } })
    await commitAs(portal, 'main', { [KUSTOMIZATION_PATH]: `# ours\n${KUSTOMIZATION}` })
    const outdated = { status: 409, body: { code: 'pr_outdated', pullRequest: 1 } }
    const back = { image: { tag: '1.2' }, secrets: { KEY: 'a' } }
    expect(await promote(portal, 'production', back)).toMatchObject(outdated)
    // What the pull request has is there already.
    const same = await promote(portal, 'production', { image: { tag: '1.4' } })
    expect(same).toMatchObject({ status: 200, body: { updated: false } })
    await commitAs(portal, BRANCH, { note: 'x' })
    for (const ask of [preview, promote]) {
      const other = { image: { tag: '1.5' }, secrets: { KEY: 'a' } }
      expect(await ask(portal, 'production', other)).toMatchObject(outdated)
    }
    await portal.closePull(1)
    expect(await promote(portal, 'production', back)).toMatchObject({
      status: 200,
      body: { status: 'secrets_written', secrets: { version: 1 } },
    })
  })

  test('is rebuilt on the default branch where git alone has a conflict', async () => {
    await using portal = await openLive()
    await promote(portal, 'production', { replicas: 5 })
    const onMain = PATCH.replace('shop/prod/env', 'shop/production/env')
    await commitAs(portal, 'main', { [PATCH_PATH]: onMain })
    // Until then the state shows the branch.
    expect((await state(portal)).body).toMatchObject({
      pullRequests: [{ mergeable: 'conflicting' }],
      environments: [{}, {}, { proposed: { config: { replicas: 5 } } }],
    })
    const wish = { image: { tag: '1.4' } }
    const shown = await preview(portal, 'production', wish)
    const files = [
      { path: KUSTOMIZATION_PATH, content: KUSTOMIZATION.replace('1.2', '1.4') },
      { path: PATCH_PATH, content: onMain.replace('2', '5') },
    ]
    expect(shown.body['files']).toMatchObject(files)
    const done = await promote(portal, 'production', wish)
    expect(done).toMatchObject({
      status: 200,
      body: { updated: true, warnings: [], pullRequest: { number: 1 } },
    })
    expect((await state(portal)).body).toMatchObject({
      pullRequests: [{ number: 1, mergeable: 'clean' }],
      environments: [{}, {}, { proposed: { image: { tag: '1.4' }, config: { replicas: 5 } } }],
    })
    await portal.merge(1)
    expect((await state(portal)).body['environments']).toMatchObject([
      {},
      {},
      { image: { tag: '1.4' }, config: { replicas: 5 }, proposed: null },
    ])
  })

  test.each([
    ['a file', KUSTOMIZATION_PATH, KUSTOMIZATION.replace('1.2', '1.3')],
    ['neighbouring lines', PATCH_PATH, PATCH.replace('shop/prod/env', 'shop/production/env')],
  ])('is outdated by %s where somebody has added a file to its commit', async (_, file, text) => {
    await using portal = await openLive()
    await promote(portal, 'production', { replicas: 5 })
    await amend(portal, { 'extra.yaml': 'x' })
    await commitAs(portal, 'main', { [file]: text })
    const answer = await promote(portal, 'production', { image: { tag: '1.4' } })
    expect(await fileAt(portal, 'extra.yaml', BRANCH)).toBe('x')
    expect(answer).toMatchObject({ status: 409, body: { code: 'pr_outdated', pullRequest: 1 } })
  })

  test('is outdated by a conflict with commits of others, or in the same lines', async () => {
    await using portal = await openLive()
    await promote(portal, 'production', { replicas: 5 })
    await commitAs(portal, 'main', { [PATCH_PATH]: PATCH.replace('2', '4') })
    const outdated = { status: 409, body: { code: 'pr_outdated', pullRequest: 1 } }
    const wish = { image: { tag: '1.4' } }
    expect(await promote(portal, 'production', wish)).toMatchObject(outdated)
    const onMain = PATCH.replace('shop/prod/env', 'shop/production/env')
    await commitAs(portal, 'main', { [PATCH_PATH]: onMain })
    await commitAs(portal, BRANCH, { note: 'x' })
    expect(await promote(portal, 'production', wish)).toMatchObject(outdated)
  })

  test('is told when nothing of it is left, unless others added something', async () => {
    await using portal = await openLive()
    await promote(portal, 'production', { replicas: 5 })
    await tagOnMain(portal, '1.3')
    for (const updated of [true, false]) {
      const back = await promote(portal, 'production', { replicas: 2 })
      expect(back).toMatchObject({ status: 200, body: { updated, pullRequest: { number: 1 } } })
      expect(warningsOf(back)).toStrictEqual(['nothing_left'])
    }
    await commitAs(portal, BRANCH, { note: 'x' })
    const back = await promote(portal, 'production', { replicas: 2 })
    expect(warningsOf(back)).toStrictEqual(['foreign_commits'])
  })
})

describe('a pull request that is merged while it is updated', () => {
  test.each(['1.2', '3'])(
    'of a release: the tag %s is decided on what is live now',
    async (tag) => {
      await using portal = await openLive()
      await promote(portal, 'production', { image: { tag: '2' } })
      mergeBeforeCommit(portal)
      expect(await promote(portal, 'production', { image: { tag } })).toMatchObject({
        status: 201,
        body: { pullRequest: { number: 2 }, image: { tag } },
      })
      expect((await state(portal)).body['pullRequests']).toMatchObject([
        { number: 2, mergeable: 'clean', createdBy: { subject: 'platform' } },
      ])
    },
  )

  test('of a promotion: it waits for its confirmation', async () => {
    await using portal = await openShop()
    await promote(portal, 'development', { replicas: 1 })
    mergeBeforeCommit(portal)
    expect(await promote(portal, 'development', { replicas: 2 })).toMatchObject({
      status: 200,
      body: { status: 'ready_to_confirm', warnings: [{ code: 'overlay_unchanged' }] },
    })
  })
})

test('secrets that the overlay reads at another path give a warning', async () => {
  await using portal = await openLive()
  const wish = { secrets: { KEY: 'a' } }
  expect(warningsOf(await preview(portal, 'production', wish))).toContain('secrets_elsewhere')
  await commitAs(portal, 'main', { [PATCH_PATH]: PATCH.replace('shop/prod', 'shop/production') })
  expect(warningsOf(await promote(portal, 'production', wish))).toStrictEqual(['secrets_at_once'])
})

/** To find the fewest changes takes minutes, in which nobody is answered. */
test('a preview shows a file whose thousands of lines somebody has changed on the branch', async () => {
  await using portal = await openLive()
  const before = `${KUSTOMIZATION}${manyLines(1)}`
  await commitAs(portal, 'main', { [KUSTOMIZATION_PATH]: before })
  await promote(portal, 'production', { image: { tag: '1.3' } })
  await commitAs(portal, BRANCH, { [KUSTOMIZATION_PATH]: `${KUSTOMIZATION}${manyLines(2)}` })
  const { status, body } = await preview(portal, 'production', { image: { tag: '1.4' } })
  const [file] = body['files'] as { content: string; diff: string }[]
  expect([status, file?.content]).toStrictEqual([
    200,
    `${KUSTOMIZATION.replace('1.2', '1.4')}${manyLines(2)}`,
  ])
  expect(applyPatch(before, file?.diff ?? '')).toBe(file?.content ?? '')
})
