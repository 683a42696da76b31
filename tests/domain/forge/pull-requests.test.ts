import { expect, test } from 'bun:test'
import { people, principalOf } from '#src/demo/people.ts'
import { createForgePullRequests } from '#src/lib/domain/forge/pull-requests.ts'
import { BranchName, ObjectId, parseRepositoryId } from '#src/lib/names.ts'
import type { Forge } from '#src/lib/ports/forge.ts'
import type { PullRequest } from '#src/lib/ports/git-host.ts'
import { err, ok } from '#src/lib/result.ts'

const repository = parseRepositoryId('acme/gitops')
const commit = ObjectId.of('a'.repeat(40))
const main = BranchName.of('main')

const pullRequest: PullRequest = {
  number: 7,
  title: 'x',
  body: '',
  url: 'x',
  state: 'open',
  head: { branch: BranchName.of('x'), commit },
  base: main,
  mergeable: 'clean',
  createdBy: 'x',
  createdAt: 1,
  closedAt: null,
  mergeCommit: null,
  mergedBy: null,
}

/** Whether the manager has opened it, by what is known. */
async function isOwn(
  openedBy: { subject: string; openedAt: number } | 'unknown' | null,
  authors: string[],
) {
  if (repository === undefined) throw new Error('no repository')
  const forge = {
    review: async () =>
      ok({ pullRequest, authors, approvals: [], range: { base: commit, head: commit } }),
    head: async () => ok({ branch: main, commit }),
    browse: {
      about: async () => ok({ description: '', team: null }),
      changes: async () => ok({ files: [], diff: { text: '', truncated: false } }),
    },
  } as unknown as Forge
  const row = openedBy &&
    openedBy !== 'unknown' && { repository: 'acme/gitops', number: 7, name: 'x', ...openedBy }
  const pulls = createForgePullRequests({
    forge,
    rules: {
      role: 'platform',
      gitopsRole: 'platform',
      platformGroup: 'platform-team',
      gitops: repository,
      catalogDirectory: 'catalog',
    },
    audit: { decide: () => expect.unreachable() },
    requesters: {
      note: async () => err({ kind: 'database_unavailable', reason: 'unused' }),
      find: async () =>
        openedBy === 'unknown'
          ? err({ kind: 'database_unavailable', reason: 'away' })
          : ok(row ? [row] : []),
    },
    changed: async () => {},
  })
  const judged = await pulls.judge(repository, 7, principalOf(people.manager))
  return judged.ok && judged.value.isOwn
}

test.each([
  ['by the subject, whatever their address is now', { subject: 'manager', openedAt: 1 }, [], true],
  ['by nobody', null, ['x@acme.example'], false],
  ['by another', { subject: 'dev', openedAt: 1 }, ['x@acme.example'], false],
  ['not by the number alone', { subject: 'manager', openedAt: 2 }, [], false],
  ['perhaps, while the database is away', 'unknown', [], true],
  ['by the address', null, [people.manager.email.toUpperCase()], true],
] as const)(
  'somebody is known to have opened a pull request %s',
  async (_, opener, authors, expected) => {
    expect(await isOwn(opener, [...authors])).toBe(expected)
  },
)
