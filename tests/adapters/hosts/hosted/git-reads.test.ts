import { describe, expect, test } from 'bun:test'
import type { GitHost } from '#src/lib/ports/git-host.ts'
import { branch, bytes, oid, value } from '#tests/contracts/git-host.ts'
import { commitFiles } from '#tests/peers/forge/commit-files.ts'
import type { Fault } from '#tests/peers/forge/faults.ts'
import { GIT_HOSTS, type HostedFixture } from './git-hosts.ts'

const html: Fault = { kind: 'answer', status: 502, body: '<html>Bad gateway</html>' }
const PASSING: readonly (readonly [string, Fault])[] = [
  ['a reset', { kind: 'reset' }],
  ['a 502', html],
  ['a 500', { kind: 'answer', status: 500, body: 'Oops' }],
  ['half an answer', { kind: 'cut', bytes: 10 }],
  ['an answer that is announced longer', { kind: 'length', by: 100 }],
]
const LASTING: readonly (readonly [string, Fault, RegExp])[] = [
  ...PASSING.map(([name, fault]) => [name, fault, /git_host_unreachable/] as const),
  ['a page in one line', { kind: 'answer', status: 200, body: '<html>' }, /git_/],
  ['a page', { kind: 'answer', status: 200, body: '<html>\nSign in\n' }, /git_/],
  ['a 403', { kind: 'answer', status: 403, body: 'no' }, /git_denied/],
  ['a 404', { kind: 'answer', status: 404, body: 'no' }, /git_not_found/],
  ['a 429', { kind: 'answer', status: 429, body: 'slow down' }, /git_rate_limited/],
]

/** Three commits, of which a new process has none. */
async function withHistory(fixture: HostedFixture) {
  const { bare, repository } = fixture
  for (const text of ['1', '2', '3']) {
    await commitFiles({ git: bare }, 'main', [{ path: 'catalog/x', bytes: bytes(text) }])
  }
  const commit = oid((await bare.reference('refs/heads/main')) ?? '')
  return {
    listFiles: async (host: GitHost) => value(await host.listFiles(repository, { commit })).files,
    listBranches: async (host: GitHost) => value(await host.listBranches(repository, '')),
  }
}

type ReadName = keyof Awaited<ReturnType<typeof withHistory>>
/** One that fetches, and one that does not. */
const SIZES = { listFiles: 5, listBranches: 1 } as const satisfies Partial<Record<ReadName, number>>

// The engine is one for all hosts.
const [[, openOne]] = GIT_HOSTS

describe('a read by git', () => {
  test.each(PASSING)('is asked again after %s, twice', async (_, fault) => {
    await using fixture = await openOne()
    const reads = await withHistory(fixture)
    for (const on of ['git-advertise', 'git-upload-pack'] as const) {
      fixture.fail({ on, times: 2, fault })
      expect((await reads.listFiles(fixture.another())).length).toBe(SIZES.listFiles)
      fixture.mend()
    }
  })

  test.each(PASSING)('is asked for three times in all after %s', async (_, fault) => {
    await using fixture = await openOne()
    fixture.gitArrivals.splice(0)
    fixture.fail({ on: 'git-advertise', times: 10, fault })
    const failed = await fixture.another().listBranches(fixture.repository, '')
    expect(failed).toMatchObject({ ok: false, error: { kind: 'git_host_unreachable' } })
    expect(fixture.gitArrivals.length).toBe(3)
  })

  test.each(LASTING)(
    'is a failure after %s, never an empty list or a shorter one',
    async (_, fault, kind) => {
      await using fixture = await openOne()
      const reads = await withHistory(fixture)
      for (const [name, size] of Object.entries(SIZES)) {
        const read = reads[name as ReadName]
        for (const on of ['git-advertise', 'git-upload-pack'] as const) {
          const host = fixture.another()
          // The API has the repository, so that only git fails.
          value(await host.head(fixture.repository))
          fixture.fail({ on, times: 100, fault })
          const outcome = await read(host).then(
            ({ length }) => length,
            (error: unknown) => String(error),
          )
          fixture.mend()
          // Git's protocol says itself where an answer ends.
          const isWhole = fault.kind === 'length' && on === 'git-upload-pack' && outcome === size
          const expected = isWhole ? size : expect.stringMatching(kind)
          expect([name, on, outcome]).toStrictEqual([name, on, expected])
          expect((await read(host)).length).toBe(size)
        }
      }
    },
  )

  test.each(GIT_HOSTS)('of %s has no commit and no branch that nobody made', async (_, open) => {
    await using fixture = await open()
    const { repository } = fixture
    const host = fixture.another()
    const absent = { commit: oid('1'.repeat(40)) }
    const missing = { ok: false, error: { kind: 'git_not_found', what: 'commit' } } as const
    expect(await host.listFiles(repository, absent)).toStrictEqual(missing)
    expect(await host.head(repository, branch('none'))).toStrictEqual({
      ok: false,
      error: { kind: 'git_not_found', what: 'branch' },
    })
  })
})
