import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { describe, expect, test } from 'bun:test'
import { BranchName } from '#src/lib/names.ts'
import { err } from '#src/lib/result.ts'
import { applicationFiles } from '#tests/support/application.ts'
import { GITOPS, openPortal, type Person, type TestPortal } from '#tests/support/portal.ts'
import {
  ask,
  commitAs,
  confirm,
  DEV_BRANCH,
  openShop,
  promote,
  state,
} from '#tests/support/promotion.ts'
import { openFolder } from '#tests/support/open-folder.ts'

const creators = async (portal: TestPortal, as: Person = 'dev') =>
  ((await state(portal, as)).body['pullRequests'] as { readonly createdBy: unknown }[]).map(
    ({ createdBy }) => createdBy,
  )

describe('who asked for a pull request', () => {
  test('is a person of the portal, whoever asks for it again', async () => {
    await using portal = await openShop()
    await promote(portal, 'development', {}, 'dev')
    await promote(portal, 'development', { replicas: 2 }, 'platform')
    expect(await creators(portal)).toStrictEqual([{ subject: 'dev', name: 'dev' }])
  })

  test('of a deprecation too', async () => {
    await using portal = await openShop()
    await ask(portal, 'POST', '', 'manager', { targetLifecycle: 'deprecated' })
    expect(await creators(portal)).toStrictEqual([{ subject: 'manager', name: 'manager' }])
  })

  test('and of a confirmation that a protected branch refused', async () => {
    await using portal = await openShop()
    await promote(portal, 'development', {}, 'dev')
    await portal.merge(1)
    const commit = portal.git.commit.bind(portal.git)
    portal.git.commit = async (repository, request) =>
      request.branch === 'main'
        ? err({ kind: 'git_denied', what: 'branch main is protected' })
        : commit(repository, request)
    expect((await confirm(portal, 'platform')).status).toBe(202)
    expect(await creators(portal)).toStrictEqual([{ subject: 'platform', name: 'platform' }])
  })

  test('is a name without a subject where the portal has forgotten it', async () => {
    await using place = await openFolder()
    const file = join(place.path, 'portico.sqlite')
    {
      await using portal = await openPortal({
        files: applicationFiles(),
        databaseUrl: `sqlite:${file}`,
      })
      await promote(portal, 'development', {}, 'dev')
      using database = new Database(file)
      expect(database.query('DELETE FROM pull_request_asker').run().changes).toBe(1)
      expect(await creators(portal)).toStrictEqual([{ subject: null, name: 'dev' }])
    }
  })

  test('and where somebody opened it past the portal', async () => {
    await using portal = await openShop()
    await commitAs(portal, 'promote/payments/shop/dev', { 'by-hand.txt': 'x' })
    const opened = await portal.git.openPullRequest(GITOPS, {
      head: DEV_BRANCH,
      base: BranchName.of('main'),
      title: 'By hand',
      body: 'Portico-Move: promote/payments/shop/dev',
      author: { name: 'Eve', email: 'dev@acme.example' },
    })
    expect(opened.ok).toBe(true)
    expect(await creators(portal)).toStrictEqual([{ subject: null, name: 'Eve' }])
  })
})
