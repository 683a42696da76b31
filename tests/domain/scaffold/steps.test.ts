import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { ended, openScaffold, SECRETS } from './open-scaffold.ts'
import { SERVICE } from '#src/lib/ports/secret-store.ts'

describe('a step', () => {
  test('sees that files of the template are missing, whatever the host said', async () => {
    await using fixture = await openScaffold()
    const { scaffold, ports, gitHost, logged } = fixture
    ports.gitHost.createRepository = (repository, request) =>
      gitHost.createRepository(repository, {
        ...request,
        files: request.files.slice(0, 1),
      })
    scaffold.start()
    await fixture.submit()
    while (logged.length === 0) await Bun.sleep(5)
    expect(logged).toMatchObject([
      { kind: 'run_paused', step: 'push_template', failure: { kind: 'git_host_error' } },
    ])
  })

  test('that somebody was quicker than leaves the secret entry to them', async () => {
    await using fixture = await openScaffold()
    const { scaffold, ports } = fixture
    const store = { ...ports.secretStore }
    ports.secretStore.merge = async (...args) => {
      await store.merge(SECRETS, 0, { THEIRS: 'x' }, SERVICE)
      return store.merge(...args)
    }
    scaffold.start()
    const id = await fixture.submit()
    expect(await ended(fixture, id)).toMatchObject({ event: 'done' })
    expect(await fixture.story(id)).toContain('create_secret skipped')
    expect(await store.describe(SECRETS, SERVICE)).toMatchObject({
      value: { keys: ['THEIRS'], version: 1, origin: null },
    })
  })

  test('fails, until somebody removes it, for a branch below that of the proposal', async () => {
    await using fixture = await openScaffold()
    const { scaffold, directory, logged } = fixture
    const by = 'scaffold/payments/shop/x'
    const id = await fixture.submit()
    await Bun.$`git --git-dir=${join(directory, 'git/acme/gitops.git')} branch ${by} main`.quiet()
    scaffold.start()
    expect(await ended(fixture, id)).toMatchObject({
      event: 'failed',
      data: { step: 'open_gitops_pr', code: 'branch_blocked', retryable: true },
    })
    expect(logged).toContainEqual({
      kind: 'step_failed',
      run: id,
      step: 'open_gitops_pr',
      failure: expect.objectContaining({ kind: 'git_branch_blocked', by }),
    })
  })

  test('that throws is tried again, and nobody is told more', async () => {
    await using fixture = await openScaffold()
    const { scaffold, ports, logged, runs } = fixture
    ports.secretStore.describe = async () => {
      throw new Error('canary')
    }
    scaffold.start()
    const id = await fixture.submit()
    while (logged.length < 2) await Bun.sleep(5)
    expect(logged.map(({ kind }) => kind)).toStrictEqual(['unexpected', 'run_paused'])
    const events = await runs.events(id, 0)
    expect(JSON.stringify(events)).toContain('Something unexpected went wrong; trying again in')
    expect(JSON.stringify(events)).not.toContain('canary')
  })
})
