import { describe, expect, test } from 'bun:test'
import type { BranchName } from '#src/lib/names.ts'
import type { CommitRequest, GitHost } from '#src/lib/ports/git-host.ts'
import { AUTHOR, branch, value, write } from '#tests/contracts/git-host.ts'
import { commitFiles } from '#tests/peers/forge/commit-files.ts'
import type { Fault } from '#tests/peers/forge/faults.ts'
import { GIT_HOSTS, type HostedFixture } from './git-hosts.ts'

const FAULTS: Readonly<Record<string, Fault>> = {
  'a reset before it': { kind: 'reset' },
  'a reset after it': { kind: 'reset', after: true },
  'a 500 before it': { kind: 'answer', status: 500, body: 'Oops' },
  'a 500 after it': { kind: 'answer', status: 500, body: 'Oops', after: true },
  'half an answer': { kind: 'cut', bytes: 12 },
  'a page in place of an answer': { kind: 'answer', status: 200, body: '<html>', after: true },
}

async function start(
  isThere: boolean,
  { seed, bare }: HostedFixture,
  name: BranchName,
): Promise<CommitRequest['from']> {
  if (!isThere) return { kind: 'create', parent: seed }
  await bare.updateReference(`refs/heads/${name}`, seed)
  return { kind: 'advance', expected: seed }
}

// The engine is one for all hosts.
const [[, open]] = GIT_HOSTS

describe('a commit', () => {
  describe.each([
    ['on a new branch', false],
    ['on a branch that is there', true],
  ])('%s', (_, isThere) => {
    test.each(Object.entries(FAULTS))(
      'is made once in spite of %s, at every request of git',
      async (_, fault) => {
        await using fixture = await open()
        const { repository, bare, seed, gitArrivals } = fixture
        const commitTo = async (host: GitHost, name: BranchName) => {
          const from = await start(isThere, fixture, name)
          return async () =>
            await host.commit(repository, {
              branch: name,
              from,
              changes: [write('x', String(name))],
              message: 'Change',
              author: AUTHOR,
            })
        }
        gitArrivals.splice(0)
        value(await (await commitTo(fixture.another(), branch('undisturbed')))())
        const requests = gitArrivals.map(({ name }) => name)
        expect(new Set(requests)).toStrictEqual(
          new Set(['git-advertise', 'git-upload-pack', 'git-receive-pack']),
        )

        for (const [index, name] of requests.entries()) {
          // Before the push both are the same.
          if (isThere && name !== 'git-receive-pack') continue
          const to = branch(`topic-${index}`)
          const commit = await commitTo(fixture.another(), to)
          const nth = requests.slice(0, index + 1).filter((each) => each === name).length
          fixture.fail({ on: name, nth, fault })
          const first = await commit()
          fixture.mend()
          // A caller asks again for what has failed, and for nothing else.
          const made = first.ok ? first : await commit()
          const tip = await bare.reference(`refs/heads/${to}`)
          expect([name, nth, made as unknown]).toStrictEqual([
            name,
            nth,
            { ok: true, value: { branch: to, commit: tip } },
          ])
          const own = await bare.git(['rev-list', '--count', `${seed}..${to}`])
          expect(own.toString().trim()).toBe('1')
          // The answer to a push alone is lost with its effect.
          if (name === 'git-receive-pack' && 'after' in fault) expect(first.ok).toBe(true)
        }
      },
    )
  })

  test('whose answer is lost is found although somebody went on from it', async () => {
    await using fixture = await open()
    const { host, repository, seed, bare } = fixture
    const lost = Promise.withResolvers<void>()
    await host.listFiles(repository, { commit: seed })
    fixture.fail({ on: 'git-receive-pack', fault: { kind: 'reset', after: true } })
    // The lookup of what the push did.
    fixture.fail({ on: 'git-upload-pack', fault: { kind: 'wait', until: lost.promise } })
    const from = { kind: 'advance', expected: seed } as const
    const committing = host.commit(repository, {
      branch: branch('main'),
      from,
      changes: [write('x', 'x')],
      message: 'Change',
      author: AUTHOR,
    })
    let ours = await bare.reference('refs/heads/main')
    while (ours === String(seed)) {
      await Bun.sleep(5)
      ours = await bare.reference('refs/heads/main')
    }
    await commitFiles({ git: bare }, 'main', [{ path: 'y', bytes: Buffer.from('y') }])
    lost.resolve()
    expect(String(value(await committing).commit)).toBe(String(ours))
  })
})
