import { expect, test } from 'bun:test'
import { type PullAnswer, toPullRequest } from '#src/lib/adapters/hosts/hosted/pull-answer.ts'
import { oid, repositoryId } from '#tests/contracts/git-host.ts'

const id = oid('a'.repeat(40))
const own = { full_name: 'Acme/gitops' }
const open: PullAnswer = {
  number: 7,
  title: 't',
  html_url: 'https://github.com/acme/gitops/pull/7',
  state: 'open',
  head: { ref: 'topic', sha: id, label: 'acme:topic', repo: own },
  base: { ref: 'main', sha: id, repo: own },
  created_at: '2026-01-01T00:00:00Z',
}
const CREATED_AT = Date.parse(open.created_at)
const reading = { repository: repositoryId('acme', 'gitops'), now: CREATED_AT, settlingMs: 0 }
const read = (more: Partial<PullAnswer>, how: Partial<typeof reading> = {}) =>
  toPullRequest({ ...open, ...more }, { ...reading, ...how })

test('the head is a branch of this repository, not of a fork with its name', () => {
  const head = (more: Partial<PullAnswer['head']>) => read({ head: { ...open.head, ...more } })
  expect(head({})?.number).toBe(7)
  expect(head({ repo: { full_name: 'mallory/gitops' } })).toBeNull()
  expect(head({ repo: { full_name: 'acme/gitops-fork' } })).toBeNull()
  expect(head({ repo: null })).toBeNull()
  const { repo: _, ...withoutRepository } = open.head
  expect(read({ head: withoutRepository })?.number).toBe(7)
  expect(read({ head: { ...withoutRepository, label: 'mallory:topic' } })).toBeNull()
})

test('a pull request of a renamed repository is still its own', () => {
  const renamed = { repo: { full_name: 'acme/gitops2' } }
  const pull = read({ head: { ...open.head, ...renamed }, base: { ...open.base, ...renamed } })
  expect(pull?.number).toBe(7)
})

test('only a merged one has a merge commit, whatever the host tried', () => {
  const closed = { state: 'closed', closed_at: '2026-01-02T00:00:00Z' } as const
  const commit = 'b'.repeat(40)
  const state = (more: Partial<PullAnswer>) => {
    const pull = read({ merge_commit_sha: commit, mergeable: true, ...more })
    return [pull?.state, pull?.mergeCommit, pull?.mergeable]
  }
  expect(state({})).toStrictEqual(['open', null, 'clean'])
  expect(state({ mergeable: false })).toStrictEqual(['open', null, 'conflicting'])
  expect(state({ mergeable: null })).toStrictEqual(['open', null, 'unknown'])
  expect(state(closed)).toStrictEqual(['closed', null, 'unknown'])
  expect(state({ ...closed, merged_at: '2026-01-02T00:00:00Z' })).toStrictEqual([
    'merged',
    oid(commit),
    'unknown',
  ])
})

test('what may be absent is', () => {
  expect(read({ body: null, user: null, closed_at: null })).toMatchObject({
    body: '',
    createdBy: 'ghost',
    closedAt: null,
  })
})

test('a merged one is told by its time, or by its member alone', () => {
  const at = '2026-01-01T00:00:00Z'
  const states = [
    { state: 'closed', merged_at: at },
    { state: 'closed', merged: true },
    { state: 'closed', merged: false, merged_at: null },
    { state: 'closed' },
  ] as const
  expect(states.map((answer) => read(answer)?.state)).toStrictEqual([
    'merged',
    'merged',
    'closed',
    'closed',
  ])
})

test('the head of a pull request whose branch is gone has the name of the branch', () => {
  const head = { label: 'topic', ref: 'refs/pull/7/head', sha: id, repo_id: 1 }
  const base = { ref: 'main', sha: id, repo_id: 1 }
  expect(String(read({ head, base })?.head.branch)).toBe('topic')
  expect(read({ head: { ...head, repo_id: 2 }, base })).toBeNull()
})

test.each([
  ['clean', { mergeable: true }, 0],
  ['unknown', { mergeable: false }, 60_000],
  ['conflicting', { mergeable: false }, 60_001],
  ['unknown', {}, 3_600_000],
  ['unknown', { mergeable: true, state: 'closed' }, 0],
  ['unknown', { mergeable: true, merged: true, state: 'closed' }, 0],
] as const)('with a settling time of a minute: %s for %o, %d ms later', (mergeable, more, age) => {
  const how = { now: CREATED_AT + age, settlingMs: 60_000 }
  expect(read(more, how)?.mergeable).toBe(mergeable)
})
