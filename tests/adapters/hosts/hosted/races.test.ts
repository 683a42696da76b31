import { describe, expect, test } from 'bun:test'
import type { CommitRequest, GitHost } from '#src/lib/ports/git-host.ts'
import { AUTHOR, branch, MAIN, value, write } from '#tests/contracts/git-host.ts'
import { GIT_HOSTS } from './git-hosts.ts'

const ROUNDS = 2

// The engine is one for all hosts.
const [[, open]] = GIT_HOSTS

describe('two processes that commit at once', () => {
  test.each(['new', 'old'] as const)('to a branch that is %s: one wins', async (age) => {
    await using fixture = await open()
    const { repository, seed, bare } = fixture
    const processes: readonly GitHost[] = [fixture.another(), fixture.another()]
    for (let round = 0; round < ROUNDS; round += 1) {
      const to = branch(`topic-${round}`)
      if (age === 'old') await bare.updateReference(`refs/heads/${to}`, seed)
      const from: CommitRequest['from'] =
        age === 'old' ? { kind: 'advance', expected: seed } : { kind: 'create', parent: seed }
      const outcomes = await Promise.all(
        processes.map((host, index) =>
          host.commit(repository, {
            branch: to,
            from,
            changes: [write('x', `of ${index}`)],
            message: 'Change',
            author: AUTHOR,
          }),
        ),
      )
      const [won, ...more] = outcomes.filter(({ ok }) => ok)
      expect(more).toStrictEqual([])
      expect(won as unknown).toStrictEqual({
        ok: true,
        value: { branch: to, commit: await bare.reference(`refs/heads/${to}`) },
      })
      const kind = age === 'old' ? 'git_conflict' : 'git_branch_exists'
      expect(outcomes.filter(({ ok }) => !ok) as unknown).toStrictEqual([
        { ok: false, error: { kind, branch: to } },
      ])
    }
  })

  test('to branches of their own: both win', async () => {
    await using fixture = await open()
    const { repository, seed } = fixture
    const made = await Promise.all(
      ['one', 'two'].map((name) =>
        fixture.another().commit(repository, {
          branch: branch(name),
          from: { kind: 'create', parent: seed },
          changes: [write('x', name)],
          message: 'Change',
          author: AUTHOR,
        }),
      ),
    )
    expect(made.map((each) => String(value(each).branch))).toStrictEqual(['one', 'two'])
  })

  test('from a head that is old by now: the second is told so', async () => {
    await using fixture = await open()
    const { repository, seed } = fixture
    const commit = (host: GitHost, text: string) =>
      host.commit(repository, {
        branch: MAIN,
        from: { kind: 'advance', expected: seed },
        changes: [write('x', text)],
        message: 'Change',
        author: AUTHOR,
      })
    value(await commit(fixture.another(), 'one'))
    expect(await commit(fixture.another(), 'two')).toStrictEqual({
      ok: false,
      error: { kind: 'git_conflict', branch: MAIN },
    })
  })
})
