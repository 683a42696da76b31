import { describe, expect, test } from 'bun:test'
import { readCommit } from '#tests/peers/forge/git/commits.ts'
import { AUTHOR, branch, MAIN, remove, value, write } from '#tests/contracts/git-host.ts'
import type { CommitRequest } from '#src/lib/ports/git-host.ts'
import { SECRET } from '#tests/peers/github/graphql.ts'
import { type GitHubFixture, openGitHub } from './open-github.ts'

const open = () => openGitHub({ access: 'app', commitAuthor: 'app' })

const request = (fixture: GitHubFixture, more: Partial<CommitRequest> = {}): CommitRequest => ({
  branch: MAIN,
  from: { kind: 'advance', expected: fixture.seed },
  changes: [write('README.md', 'changed\n'), remove('catalog/a.yaml')],
  message: 'Change something\n\nWhy.\n\nPortico-Move: x',
  author: AUTHOR,
  ...more,
})

const onBranch = (fixture: GitHubFixture, name = 'promote/x'): CommitRequest =>
  request(fixture, { branch: branch(name), from: { kind: 'create', parent: fixture.seed } })

const graphqlCalls = ({ github }: GitHubFixture) =>
  github.arrivals.filter(({ name }) => name === 'graphql').length

const USED_UP = 'API rate limit exceeded for installation ID 42.'
const AT_ONCE = 'You have exceeded a secondary rate limit. Please wait a few minutes.'

describe('a commit in the name of the App', () => {
  test('is signed by GitHub, and a trailer names the person', async () => {
    await using fixture = await open()
    const { host, repository, seeded } = fixture
    const head = value(await host.commit(repository, request(fixture)))
    const commit = await readCommit(seeded.git, head.commit)
    expect(commit?.isSigned).toBe(true)
    expect(commit?.parents).toStrictEqual([fixture.seed])
    expect(commit?.message.trimEnd()).toBe(
      `Change something\n\nWhy.\n\nPortico-Move: x\nCo-authored-by: ${AUTHOR.name} <${AUTHOR.email}>`,
    )
    expect(await seeded.git.reference('refs/heads/main')).toBe(head.commit)
    const files = value(await host.listFiles(repository, head)).files.map(({ path }) =>
      String(path),
    )
    expect(files).toStrictEqual(['README.md', 'bin/run', 'catalog/deep/b.yaml'])
  })

  test('begins a branch', async () => {
    await using fixture = await open()
    const { host, repository, seeded } = fixture
    const head = value(await host.commit(repository, onBranch(fixture)))
    expect(await seeded.git.reference('refs/heads/promote/x')).toBe(head.commit)
    expect(graphqlCalls(fixture)).toBe(2)
  })

  test('that makes a file executable is pushed: the API cannot', async () => {
    await using fixture = await open()
    const changes = [write('run', '#!/bin/sh\n', true)]
    value(await fixture.host.commit(fixture.repository, request(fixture, { changes })))
    expect(graphqlCalls(fixture)).toBe(0)
  })

  test('loses a race by the expected head', async () => {
    await using fixture = await open()
    const { host, repository } = fixture
    value(await host.commit(repository, request(fixture)))
    const late = request(fixture, { changes: [write('late', 'x')] })
    expect(await host.commit(repository, late)).toStrictEqual({
      ok: false,
      error: { kind: 'git_conflict', branch: MAIN },
    })
    value(await host.commit(repository, onBranch(fixture)))
    const changes = [write('late', 'x')]
    expect(await host.commit(repository, { ...onBranch(fixture), changes })).toStrictEqual({
      ok: false,
      error: { kind: 'git_branch_exists', branch: branch('promote/x') },
    })
    expect(await host.commit(repository, onBranch(fixture, 'promote'))).toStrictEqual({
      ok: false,
      error: { kind: 'git_branch_blocked', branch: branch('promote'), by: 'promote/x' },
    })
    expect(await host.commit(repository, onBranch(fixture, 'absent/y'))).toMatchObject({ ok: true })
  })

  test.each([true, false])(
    'is made once when its answer is lost, after the effect: %p',
    async (after) => {
      await using fixture = await open()
      const { github, host, repository, seeded } = fixture
      for (const asked of [request(fixture), onBranch(fixture)]) {
        const nth = asked.from.kind === 'create' && after ? 2 : 1
        github.fail({ on: 'graphql', nth, fault: { kind: 'reset', after } })
        const outcome = await host.commit(repository, asked)
        const tip = await seeded.git.reference(`refs/heads/${asked.branch}`)
        if (after) expect(outcome).toMatchObject({ ok: true, value: { commit: tip } })
        else {
          expect(outcome).toMatchObject({ ok: false, error: { kind: 'git_host_unreachable' } })
          expect(tip).toBe(asked.from.kind === 'create' ? null : fixture.seed)
        }
        github.mend()
      }
    },
  )

  test('touches no branch of somebody else that stands at the same commit', async () => {
    await using fixture = await open()
    const { host, repository, seeded, seed } = fixture
    await seeded.git.updateReference('refs/heads/promote/x', seed)
    expect(await host.commit(repository, onBranch(fixture))).toStrictEqual({
      ok: false,
      error: { kind: 'git_branch_exists', branch: branch('promote/x') },
    })
    expect(await seeded.git.reference('refs/heads/promote/x')).toBe(seed)
  })

  test.each([
    ['the points of the hour', { type: 'RATE_LIMITED', message: USED_UP }, '0', {}, 600],
    ['more points than are left', { type: 'RATE_LIMIT', message: USED_UP }, '4', {}, 600],
    ['too much at once', { message: AT_ONCE }, '4999', { 'retry-after': '90' }, 90],
    ['too much at once, without a time', { message: AT_ONCE }, '4999', {}, 60],
  ] as const)(
    'waits for the end of a limit that GraphQL tells with status 200: %s',
    async (_, said, remaining, more, seconds) => {
      const now = () => Date.UTC(2026, 0, 1)
      await using fixture = await openGitHub({
        access: 'app',
        commitAuthor: 'app',
        peer: { now },
      })
      const { github, host, repository, seeded } = fixture
      const headers = {
        'x-ratelimit-remaining': remaining,
        'x-ratelimit-reset': String(now() / 1_000 + 600),
        'x-ratelimit-resource': 'graphql',
        ...more,
      }
      const body = { errors: [said] }
      // The branch is made, and its commit is refused.
      github.fail({ on: 'graphql', nth: 2, fault: { kind: 'answer', status: 200, body, headers } })
      const error = { kind: 'git_rate_limited', retryAfterSeconds: seconds }
      expect(await host.commit(repository, onBranch(fixture))).toMatchObject({ ok: false, error })
      expect(await seeded.git.reference('refs/heads/promote/x')).toBeNull()
      expect(await host.commit(repository, request(fixture))).toMatchObject({ ok: false, error })
      expect(graphqlCalls(fixture)).toBe(2)
      // The limits of REST are others.
      expect((await host.findPullRequests(repository, {})).ok).toBe(true)
    },
  )

  test('is made by the last request of the hour', async () => {
    await using fixture = await open()
    const { github, host, repository, seeded } = fixture
    const oid = await seeded.git.reference('refs/heads/main')
    const body = { data: { createCommitOnBranch: { commit: { oid } } } }
    const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1900000000' }
    github.fail({ on: 'graphql', fault: { kind: 'answer', status: 200, body, headers } })
    expect(await host.commit(repository, request(fixture))).toMatchObject({
      ok: true,
      value: { commit: oid },
    })
  })

  test('is refused by a rule in its words, and leaves no branch behind', async () => {
    await using fixture = await open()
    const { host, repository, seeded } = fixture
    seeded.protections.set('main', { by: 'rules', reasons: ['Secret detected'] })
    const refused = await host.commit(repository, request(fixture))
    expect(refused).toMatchObject({ ok: false, error: { kind: 'git_denied' } })
    expect(JSON.stringify(refused)).toContain('Secret detected')
    const changes = [write('env', SECRET)]
    const leaking = await host.commit(repository, { ...onBranch(fixture), changes })
    expect(leaking).toMatchObject({ ok: false, error: { kind: 'git_denied' } })
    expect(await seeded.git.reference('refs/heads/promote/x')).toBeNull()
  })
})
