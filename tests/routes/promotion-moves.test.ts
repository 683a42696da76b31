import { describe, expect, test } from 'bun:test'
import { currentPerson } from '#src/lib/concurrency/on-behalf-of.ts'
import { ok } from '#src/lib/result.ts'
import { openPull } from '#tests/support/commit-files.ts'
import { GITOPS, type TestPortal } from '#tests/support/portal.ts'
import {
  commitAs,
  confirm,
  DEV_BRANCH,
  fileAt,
  git,
  openShop,
  OVERLAY,
  promote,
  pullOf,
  state,
  warningsOf,
} from '#tests/support/promotion.ts'
import { editPull } from '#tests/support/pull-records.ts'
import { valueOf } from '#tests/support/value-of.ts'
import { openFolder } from '#tests/support/open-folder.ts'

const WITHOUT_OVERLAY = Object.fromEntries(
  ['kustomization', 'image-transformer', 'patch-xtenant-app'].map((name) => [
    `${OVERLAY}/dev/${name}.yaml`,
    null,
  ]),
)

const deleteBranch = (portal: TestPortal, branch: string) =>
  git(portal, 'update-ref', '-d', `refs/heads/${branch}`)

const openPulls = async (portal: TestPortal) => {
  return valueOf(await portal.git.findPullRequests(GITOPS, { state: 'open', limit: 5_000 }))
}

const dev = async (portal: TestPortal) => {
  const { body } = await state(portal)
  const [environment] = body['environments'] as readonly object[]
  return environment
}

/** Opens a pull request of somebody else, from a branch that gets a commit of theirs first. */
async function openTheirs(portal: TestPortal, branch: string, body: string): Promise<void> {
  await commitAs(portal, branch, { 'theirs.txt': 'x' })
  await openPull(portal.git, GITOPS, { branch, title: 'Theirs', body })
}

test('each move of an environment has the next branch, however the one before it ended', async () => {
  await using portal = await openShop()
  /** Ends of the pull request. Each leaves the environment without an overlay. */
  const ends: readonly (readonly [string, (number: number, branch: string) => Promise<unknown>])[] =
    [
      [DEV_BRANCH, (number) => portal.closePull(number)],
      [`${DEV_BRANCH}.2`, (number) => portal.closePull(number)],
      [
        `${DEV_BRANCH}.3`,
        async (number, branch) => {
          await portal.closePull(number)
          await deleteBranch(portal, branch)
        },
      ],
      [`${DEV_BRANCH}.3`, (_, branch) => deleteBranch(portal, branch)],
      [
        `${DEV_BRANCH}.3`,
        async (number) => {
          await portal.merge(number)
          await portal.commit(WITHOUT_OVERLAY)
        },
      ],
      [
        `${DEV_BRANCH}.4`,
        async (number, branch) => {
          await portal.merge(number)
          for (const each of [DEV_BRANCH, `${DEV_BRANCH}.2`, `${DEV_BRANCH}.3`, branch]) {
            await deleteBranch(portal, each)
          }
          await portal.commit(WITHOUT_OVERLAY)
        },
      ],
      [DEV_BRANCH, (number) => portal.closePull(number)],
    ]
  for (const [index, [branch, end]] of ends.entries()) {
    const asked = await promote(portal, 'development', { replicas: (index % 3) + 1 })
    const number = index + 1
    expect(asked).toMatchObject({ status: 201, body: { branch, pullRequest: { number } } })
    expect((await openPulls(portal)).map((pull) => String(pull.head.branch))).toStrictEqual([
      branch,
    ])
    await end(number, branch)
    expect(await openPulls(portal)).toStrictEqual([])
    expect(await dev(portal)).toMatchObject({ overlay: false })
  }
})

describe('what a person did on the host', () => {
  test('another title does not hide a pull request', async () => {
    await using portal = await openShop()
    await promote(portal, 'development')
    await editPull(portal, 1, { title: 'Ship it!' })
    expect(await dev(portal)).toMatchObject({ state: 'pr_open', pullRequest: 1 })
    expect(pullOf(await promote(portal, 'development', { replicas: 4 })).number).toBe(1)
  })

  test('a pull request into another branch is left alone, and its branch too', async () => {
    await using portal = await openShop()
    await promote(portal, 'development', { replicas: 1 })
    await git(portal, 'branch', 'release', 'main')
    await editPull(portal, 1, { base: 'release' })
    const before = await git(portal, 'rev-parse', DEV_BRANCH)
    expect(await dev(portal)).toMatchObject({ state: 'none', pullRequest: null })
    expect(await promote(portal, 'development', { replicas: 1 })).toMatchObject({
      status: 201,
      body: { branch: `${DEV_BRANCH}.2`, pullRequest: { number: 2 } },
    })
    expect(await git(portal, 'rev-parse', DEV_BRANCH)).toBe(before)
  })

  test('one that was led into another branch and closed there is no closed promotion', async () => {
    await using portal = await openShop()
    await promote(portal, 'development')
    await git(portal, 'branch', 'release', 'main')
    await editPull(portal, 1, { base: 'release' })
    await portal.closePull(1)
    expect(await dev(portal)).toMatchObject({ state: 'none', pullRequest: null })
    expect(await confirm(portal)).toMatchObject({ body: { code: 'overlay_missing' } })
  })

  test('the newest of several closed ones is the one that counts', async () => {
    await using portal = await openShop()
    for (const number of [1, 2, 3]) {
      await promote(portal, 'development')
      await portal.closePull(number)
    }
    expect(await dev(portal)).toMatchObject({ state: 'pr_closed', pullRequest: 3 })
    await deleteBranch(portal, `${DEV_BRANCH}.3`)
    expect(await dev(portal)).toMatchObject({ state: 'pr_closed', pullRequest: 2 })
    await deleteBranch(portal, `${DEV_BRANCH}.2`)
    await deleteBranch(portal, DEV_BRANCH)
    expect(await dev(portal)).toMatchObject({ state: 'pr_closed', pullRequest: 1 })
  })

  test('a copy of our text on a branch of another name is not ours', async () => {
    await using portal = await openShop()
    await promote(portal, 'development')
    const [ours] = await openPulls(portal)
    if (ours === undefined) throw new Error('no pull request')
    await portal.closePull(1)
    await openTheirs(portal, 'theirs', ours.body)
    expect((await state(portal)).body['pullRequests']).toStrictEqual([])
    expect(pullOf(await promote(portal, 'development')).number).toBe(3)
  })

  test('a pull request from the branch that we have just made leaves us the next number', async () => {
    await using portal = await openShop()
    const host = { ...portal.git }
    portal.git.commit = async (...args) => {
      portal.git.commit = (...again) => host.commit(...again)
      const committed = await host.commit(...args)
      await openTheirs(portal, DEV_BRANCH, 'theirs')
      return committed
    }
    expect(await promote(portal, 'development')).toMatchObject({
      status: 201,
      body: { created: true, branch: `${DEV_BRANCH}.2`, pullRequest: { number: 2 } },
    })
  })

  test('commits of others stay when the pull request is closed and asked for again', async () => {
    await using portal = await openShop()
    await promote(portal, 'development')
    await commitAs(portal, DEV_BRANCH, { 'theirs.txt': 'x' })
    expect(warningsOf(await promote(portal, 'development', { replicas: 2 }))).toContain(
      'foreign_commits',
    )
    expect(await fileAt(portal, 'theirs.txt', DEV_BRANCH)).toBe('x')
    await portal.closePull(1)
    const tip = await git(portal, 'rev-parse', DEV_BRANCH)
    expect((await promote(portal, 'development')).body['branch']).toBe(`${DEV_BRANCH}.2`)
    expect(await git(portal, 'rev-parse', DEV_BRANCH)).toBe(tip)
  })

  test.each(['merge --no-ff', 'merge --squash', 'rebase'])(
    'a merge by git %s counts by its overlay',
    async (how) => {
      await using portal = await openShop()
      await promote(portal, 'development')
      await portal.commit({ 'notes.md': 'the default branch moves on' })
      await mergeByHand(portal, how)
      // Hosts end such a pull request themselves; the embedded one does when its branch goes.
      await deleteBranch(portal, DEV_BRANCH)
      expect(await dev(portal)).toMatchObject({ state: 'ready_to_confirm' })
      expect(await promote(portal, 'development')).toMatchObject({
        status: 200,
        body: { status: 'ready_to_confirm' },
      })
      expect(await confirm(portal)).toMatchObject({ status: 200, body: { status: 'confirmed' } })
      expect(await openPulls(portal)).toStrictEqual([])
    },
  )

  test('a branch of ours that somebody merged without a pull request is not used again', async () => {
    await using portal = await openShop()
    const opening = { ...portal.git }
    portal.git.openPullRequest = async () => ({
      ok: false,
      error: { kind: 'git_denied', what: 'pulls: write' },
    })
    expect((await promote(portal, 'development')).status).toBe(502)
    portal.git.openPullRequest = (...args) => opening.openPullRequest(...args)
    await git(portal, 'update-ref', 'refs/heads/main', `refs/heads/${DEV_BRANCH}`)
    await portal.commit(WITHOUT_OVERLAY)
    expect(await promote(portal, 'development')).toMatchObject({
      status: 201,
      body: { branch: `${DEV_BRANCH}.2` },
    })
  })

  test('a branch below the one that is about to be made is no end', async () => {
    await using portal = await openShop()
    const host = { ...portal.git }
    portal.git.commit = async (...args) => {
      portal.git.commit = (...again) => host.commit(...again)
      await commitAs(portal, `${DEV_BRANCH}/x`, { x: 'x' })
      return host.commit(...args)
    }
    expect(await promote(portal, 'development')).toMatchObject({
      status: 201,
      body: { branch: `${DEV_BRANCH}.2` },
    })
  })
})

test('a conflict that listings do not tell of is asked for', async () => {
  await using portal = await openShop()
  await promote(portal, 'development', { replicas: 1 })
  await portal.commit({ [`${OVERLAY}/dev/patch-xtenant-app.yaml`]: 'somebody: else\n' })
  const host = { ...portal.git }
  portal.git.findPullRequests = async (repository, filter) => {
    const found = await host.findPullRequests(repository, filter)
    if (!found.ok || 'number' in filter) return found
    return ok(found.value.map((pull) => ({ ...pull, mergeable: 'unknown' as const })))
  }
  expect((await state(portal)).body).toMatchObject({ pullRequests: [{ mergeable: 'conflicting' }] })
  expect(warningsOf(await promote(portal, 'development', { replicas: 1 }))).toContain('conflicting')
})

describe('facts that are out of date', () => {
  test('by a pull request that another request opens before the branches are listed', async () => {
    await using portal = await openShop()
    const host = { ...portal.git }
    portal.git.findPullRequests = async (...args) => {
      portal.git.findPullRequests = (...again) => host.findPullRequests(...again)
      const none = await host.findPullRequests(...args)
      expect((await promote(portal, 'development', { replicas: 1 })).status).toBe(201)
      return none
    }
    expect(await promote(portal, 'development', { replicas: 2 })).toMatchObject({
      status: 200,
      body: { created: false, updated: true, pullRequest: { number: 1 }, branch: DEV_BRANCH },
    })
    expect(await openPulls(portal)).toHaveLength(1)
  })

  test('by a request that waits for another one: it is decided on what that one made', async () => {
    await using portal = await openShop()
    const host = { ...portal.git }
    let other: ReturnType<typeof promote> | undefined
    portal.git.listBranches = async (...args) => {
      portal.git.listBranches = (...again) => host.listBranches(...again)
      other = promote(portal, 'development', { replicas: 1 })
      return host.listBranches(...args)
    }
    expect(await promote(portal, 'development', { replicas: 2 })).toMatchObject({
      status: 201,
      body: { created: true, pullRequest: { number: 1 }, branch: DEV_BRANCH },
    })
    expect(await other).toMatchObject({
      status: 200,
      body: { created: false, updated: true, pullRequest: { number: 1 }, branch: DEV_BRANCH },
    })
    expect(await openPulls(portal)).toHaveLength(1)
  })

  test('by a merge while a request waits: it is decided on what is live by then', async () => {
    await using portal = await openShop()
    const host = { ...portal.git }
    let other: ReturnType<typeof promote> | undefined
    portal.git.openPullRequest = async (...args) => {
      const listed = Promise.withResolvers<void>()
      portal.git.findPullRequests = async (...query) => {
        const found = await host.findPullRequests(...query)
        listed.resolve()
        return found
      }
      other = promote(portal, 'development', { replicas: 1 })
      await listed.promise
      const opened = await host.openPullRequest(...args)
      await portal.merge(1)
      return opened
    }
    expect((await promote(portal, 'development')).status).toBe(201)
    expect(await other).toMatchObject({ status: 200, body: { status: 'ready_to_confirm' } })
  })

  test('by a listing that shows a pull request as it was before its last commit', async () => {
    await using portal = await openShop()
    await promote(portal, 'development', { replicas: 1 })
    const before = await portal.git.findPullRequests(GITOPS, {})
    await promote(portal, 'development', { replicas: 2 })
    const host = { ...portal.git }
    portal.git.findPullRequests = async (repository, filter) =>
      'number' in filter ? host.findPullRequests(repository, filter) : before
    expect(await promote(portal, 'development', { replicas: 3 })).toMatchObject({
      status: 200,
      body: { updated: true, pullRequest: { number: 1 } },
    })
  })

  test.each(['closed', 'merged and removed'])(
    'by a pull request that is %s while it is updated',
    async (how) => {
      await using portal = await openShop()
      await promote(portal, 'development', { replicas: 1 })
      const host = { ...portal.git }
      portal.git.commit = async (...args) => {
        portal.git.commit = (...again) => host.commit(...again)
        if (how === 'closed') await portal.closePull(1)
        else {
          await portal.merge(1)
          await portal.commit(WITHOUT_OVERLAY)
        }
        return host.commit(...args)
      }
      expect(await promote(portal, 'development', { replicas: 2 })).toMatchObject({
        status: 201,
        body: { created: true, pullRequest: { number: 2, state: 'open' } },
      })
      expect((await openPulls(portal)).map(({ number }) => number)).toStrictEqual([2])
    },
  )

  test('by a pull request whose branch is deleted before the update', async () => {
    await using portal = await openShop()
    await promote(portal, 'development', { replicas: 1 })
    const host = { ...portal.git }
    portal.git.listCommits = async (...args) => {
      const commits = await host.listCommits(...args)
      await deleteBranch(portal, DEV_BRANCH)
      return commits
    }
    expect(await promote(portal, 'development', { replicas: 2 })).toMatchObject({
      status: 201,
      body: { pullRequest: { number: 2 }, branch: DEV_BRANCH },
    })
  })
})

test('what a move writes is written on behalf of whoever asked for it', async () => {
  await using portal = await openShop()
  const host = { ...portal.git }
  const persons: unknown[] = []
  portal.git.commit = (...args) => {
    persons.push(currentPerson())
    return host.commit(...args)
  }
  await promote(portal, 'development', {}, 'dev')
  await portal.merge(1)
  await confirm(portal)
  expect(persons).toStrictEqual(['dev', 'platform'])
})

/** Merges the branch of the promotion with a git of one's own, and pushes the default branch. */
async function mergeByHand({ repository }: TestPortal, how: string): Promise<void> {
  await using place = await openFolder()
  const { path: clone } = place
  const config = ['-c', 'user.name=E', '-c', 'user.email=e@e.example']
  const inClone = (...args: readonly string[]) => Bun.$`git -C ${clone} ${config} ${args}`.quiet()
  await Bun.$`git clone --quiet ${repository} ${clone}`.quiet()
  if (how === 'rebase') {
    await inClone('checkout', '--quiet', DEV_BRANCH)
    await inClone('rebase', '--quiet', 'main')
    await inClone('push', '--quiet', 'origin', `${DEV_BRANCH}:main`)
  } else {
    await inClone(...how.split(' '), `origin/${DEV_BRANCH}`)
    if (how.includes('squash')) await inClone('commit', '--quiet', '-m', 'Squash')
    await inClone('push', '--quiet', 'origin', 'main')
  }
}
