import { describe, expect, test } from 'bun:test'
import type { GitFailure, GitHost } from '#src/lib/ports/git-host.ts'
import { ObjectId } from '#src/lib/names.ts'
import { err } from '#src/lib/result.ts'
import { withGitHostRefusals } from '#src/portal/refusals/git-host.ts'
import { component, GITOPS, openPortal, path, WEBHOOK_TOKEN } from '#tests/support/portal.ts'

const DENIED = { kind: 'git_denied', what: 'contents: write on acme/gitops' } as const
const COMMIT = ObjectId.of('0'.repeat(40))

/** A git host that fails at every call. */
function failing(failure: GitFailure): GitHost {
  const fail = async () => err(failure)
  return {
    head: fail,
    listFiles: fail,
    async *readFiles() {
      yield err(failure)
    },
    listBranches: fail,
    listCommits: fail,
    listPathCommits: fail,
    commit: fail,
    createRepository: fail,
    findPullRequests: fail,
    findMergedPullRequest: fail,
    openPullRequest: fail,
    pageUrl: () => '',
    check: async () => [],
    releases: { list: fail, openAsset: fail },
  }
}

function open(failure: GitFailure) {
  const clock = { time: 0, now: () => clock.time }
  const lines: object[] = []
  const log = { warn: (line: object) => void lines.push(line) }
  return { clock, lines, gitHost: withGitHostRefusals(failing(failure), { clock, log }) }
}

describe('the log of what the git host refuses', () => {
  test('has the call and the missing right, and the answer stays what it is', async () => {
    const { gitHost, lines } = open(DENIED)
    expect(await gitHost.head(GITOPS)).toStrictEqual(err(DENIED))
    const files = await Array.fromAsync(gitHost.readFiles(GITOPS, COMMIT, [{ path: path('a') }], 1))
    expect(files).toStrictEqual([err(DENIED)])
    await gitHost.releases.list(GITOPS)
    expect(lines).toStrictEqual([
      { call: 'head', ...DENIED },
      { call: 'readFiles', ...DENIED },
      { call: 'releases.list', ...DENIED },
    ])
  })

  test('has the same once in a minute, also when the clock was set back', async () => {
    const { gitHost, lines, clock } = open({ kind: 'git_host_error', reason: 'answered with 502' })
    for (const [time, count] of [
      [0, 1],
      [59_999, 1],
      [60_000, 2],
      [0, 3],
    ] as const) {
      clock.time = time
      await gitHost.head(GITOPS)
      expect(lines).toHaveLength(count)
    }
  })

  test.each([
    { kind: 'git_not_found', what: 'branch' },
    { kind: 'git_host_unreachable' },
    { kind: 'git_rate_limited', retryAfterSeconds: 9 },
  ] as const)('has nothing of %p, which its callers expect', async (failure) => {
    const { gitHost, lines } = open(failure)
    await gitHost.head(GITOPS)
    expect(lines).toStrictEqual([])
  })
})

test('people learn that the git host refused, and not what; operators read it in the log', async () => {
  await using portal = await openPortal({ files: { 'catalog/a.yaml': component('a') } })
  portal.git.head = async () => err(DENIED)
  const headers = { authorization: `Bearer ${WEBHOOK_TOKEN}` }
  await portal.request('/api/v1/webhooks/catalog/refresh', { method: 'POST', headers })
  const response = await portal.request('/api/v1/catalog/entities', { as: 'dev' })
  const text = await response.text()
  expect([response.status, JSON.parse(text)]).toMatchObject([502, { code: 'git_host_error' }])
  expect(text).not.toContain('contents')
  expect(portal.logged.join('')).toContain(DENIED.what)
})
