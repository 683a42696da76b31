import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { GitFailure, GitHost } from '#src/lib/ports/git-host.ts'
import { ObjectId } from '#src/lib/names.ts'
import { createOutages } from '#src/lib/logging/outages.ts'
import { err } from '#src/lib/result.ts'
import { withGitHostRefusals } from '#src/compose/refusals.ts'
import { component, GITOPS, openPortal, path, WEBHOOK_TOKEN } from '#tests/support/portal.ts'

const DENIED = { kind: 'git_denied', what: 'contents: write on acme/gitops' } as const
const COMMIT = ObjectId.of('0'.repeat(40))

/** A git host that fails at every call. */
function failing(failure: GitFailure): GitHost {
  const fail = async () => err(failure)
  return {
    head: fail,
    listFiles: fail,
    listChanges: fail,
    async *readFiles() {
      yield err(failure)
    },
    searchFiles: fail,
    listBranches: fail,
    listTags: fail,
    listCommits: fail,
    merge: fail,
    commit: fail,
    createRepository: fail,
    findPullRequests: fail,
    findMergedPullRequest: fail,
    openPullRequest: fail,
    describePullRequests: async () => new Map(),
    pageUrl: () => '',
    check: async () => [],
    releases: { list: fail, openAsset: fail },
  }
}

function open(failure: GitFailure) {
  const clock = { time: 0, now: () => clock.time }
  const lines: object[] = []
  const note = (line: object) => void lines.push(line)
  const outages = createOutages({ clock, log: { info: note, warn: note, error: note } })
  return { clock, lines, gitHost: withGitHostRefusals(failing(failure), outages) }
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

  test('has an error once', async () => {
    const { gitHost, lines, clock } = open({ kind: 'git_host_error', reason: 'answered with 500' })
    for (let call = 0; call < 100; call++) {
      await gitHost.head(GITOPS)
      clock.time += 60_000
    }
    expect(lines).toHaveLength(1)
  })

  test('has the same refusal once in a minute, also when the clock was set back', async () => {
    const { gitHost, lines, clock } = open(DENIED)
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

test('an outage of the git host and of the database is one line each, whoever asks, and one when it ends', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'portico-outage-'))
  const databaseFile = join(folder, 'portico.sqlite')
  await using portal = await openPortal({ databaseUrl: `sqlite:${databaseFile}` })
  let seen = 0
  const told = () => {
    const lines = portal.logged.slice(seen)
    seen = portal.logged.length
    return lines
      .map((line) => JSON.parse(line) as { level: number; msg: string; failures?: number })
      .filter(({ level }) => level >= 30)
      .map(({ msg, failures = '' }) => `${msg} ${failures}`)
  }
  const readAll = async () => {
    for (let minute = 0; minute < 30; minute++) {
      portal.clock.advance(60_000)
      await portal.request('/api/v1/catalog/entities', { as: 'dev' })
    }
  }
  await portal.request('/api/v1/catalog/entities', { as: 'dev' })
  portal.git.failWith = 'git_host_timeout'
  told()
  await readAll()
  expect(told()).toStrictEqual(['catalog not loaded '])
  portal.git.failWith = undefined
  await readAll()
  expect(told()).toStrictEqual([expect.stringMatching(/^the catalog works again \d+$/)])

  using sql = new Database(databaseFile)
  sql.run('ALTER TABLE session RENAME TO elsewhere')
  await readAll()
  await portal.portal.readiness.start()
  expect(told()).toStrictEqual(['the database does not answer as it should '])
  sql.run('ALTER TABLE elsewhere RENAME TO session')
  await portal.portal.readiness.start()
  expect(told()).toStrictEqual([expect.stringMatching(/^the database works again \d+$/)])
  await rm(folder, { recursive: true })
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
