import { describe, expect, test } from 'bun:test'
import type { FileChange } from '#src/lib/ports/git-host.ts'
import { AUTHOR, branch, MAIN, value, write } from '#tests/contracts/git-host.ts'
import { EVERY_RIGHT } from '#tests/peers/github/state.ts'
import { type GitHubFixture, openGitHub, TOKEN } from './open-github.ts'

const commitTo = async (
  { host, repository }: Pick<GitHubFixture, 'host' | 'repository'>,
  ...changes: readonly FileChange[]
) => {
  const { commit } = value(await host.head(repository))
  return host.commit(repository, {
    branch: MAIN,
    from: { kind: 'advance', expected: commit },
    changes,
    message: 'Change\n\nRun: 1\n',
    author: AUTHOR,
  })
}

const denied = (what: unknown): unknown => ({ ok: false, error: { kind: 'git_denied', what } })

describe('a commit', () => {
  test('removes a folder with what no path of ours can name', async () => {
    await using fixture = await openGitHub()
    await fixture.plant(MAIN, [
      { path: 'keep', mode: '100644', content: 'x' },
      { path: 'odd/link', mode: '120000', content: '../keep' },
      { path: 'odd/module', mode: '160000', content: fixture.seed },
      { path: 'odd/ünïcode', mode: '100644', content: 'x' },
    ])
    value(await commitTo(fixture, write('odd', 'a file now')))
    const head = value(await fixture.host.head(fixture.repository))
    const listing = value(await fixture.host.listFiles(fixture.repository, head))
    expect(listing.skipped).toStrictEqual([])
    expect(listing.files.map(({ path }) => String(path))).toStrictEqual(['keep', 'odd'])
  })
})

const SECRET = [
  'Push cannot contain secrets',
  '',
  '  (?) Learn how to resolve a blocked push',
  '  https://docs.github.com/code-security/secret-scanning/pushing-a-branch-blocked-by-push-protection',
  '',
  '  —— GitHub Personal Access Token ——————————————————————',
  '   locations:',
  '     - commit: 8728dbe67',
  '       path: config/settings.yaml:4',
]

describe('a commit is refused', () => {
  test.each([
    [
      'a protected branch',
      'branch protection',
      ['Changes must be made through a pull request.'],
      'branch main of acme/gitops is protected',
    ],
    [
      'required checks and reviews',
      'branch protection',
      ['Required status check "ci" is expected.', 'At least 1 approving review is required.'],
      'branch main of acme/gitops is protected',
    ],
    [
      'a ruleset',
      'rules',
      ['Cannot update this protected ref.'],
      expect.stringMatching(/^a rule of acme\/gitops refused the commit: .*rule/i),
    ],
    [
      'a ruleset that asks for pull requests',
      'rules',
      [
        'Changes must be made through a pull request.',
        '2 of 2 required status checks are expected.',
      ],
      expect.stringMatching(/^a rule of acme\/gitops refused the commit: .*rule/i),
    ],
    [
      'push protection, which has found a secret',
      'rules',
      SECRET,
      expect.stringMatching(/^a rule of acme\/gitops refused the commit: .*(?:secret|rule)/i),
    ],
  ] as const)('by %s', async (_, by, reasons, what) => {
    await using fixture = await openGitHub()
    fixture.seeded.protections.set('main', { by, reasons })
    const refused: unknown = await commitTo(fixture, write('x', 'ghp_secret'))
    expect(refused).toStrictEqual(denied(what))
    const text = JSON.stringify(refused)
    expect(text.length).toBeLessThan(320)
    expect(text).not.toContain('ghp_')
    expect(String(value(await fixture.host.head(fixture.repository)).commit)).toBe(fixture.seed)
  })

  test.each([
    [
      'a right',
      { rights: { ...EVERY_RIGHT, contents: 'read' } },
      /^contents: write on acme\/gitops( \(Permission to acme\/gitops.git denied to acme.\))?$/,
    ],
    ['single sign-on', { blockedBy: 'sso' }, /single sign-on|SAML SSO/],
    ['the allow list', { blockedBy: 'ip_allow_list' }, /IP allow list/],
  ] as const)('for want of %s, at the API or at git', async (_, credential, what) => {
    for (const isKnown of [false, true]) {
      await using fixture = await openGitHub()
      const { github, seeded } = fixture
      // Known to the mirror and to the API, so that git is the first to be refused.
      if (isKnown) value(await fixture.host.listFiles(fixture.repository, { commit: fixture.seed }))
      github.addCredential(TOKEN, { account: seeded.owner, ...credential })
      const refused: unknown = await fixture.host.commit(fixture.repository, {
        branch: branch('topic'),
        from: { kind: 'create', parent: fixture.seed },
        changes: [write('x', 'x')],
        message: 'Change',
        author: AUTHOR,
      })
      expect(refused).toStrictEqual(denied(expect.stringMatching(what)))
      expect(JSON.stringify(refused)).not.toMatch(/https?:|ghp_/)
    }
  })

  test.each(['token', 'app'] as const)(
    'when it changes a workflow without the right to, by a %s',
    async (access) => {
      await using fixture = await openGitHub({ access })
      const { github, seeded, repository } = fixture
      const rights = { ...EVERY_RIGHT, workflows: undefined } as unknown as typeof EVERY_RIGHT
      if (access === 'token') github.addCredential(TOKEN, { account: seeded.owner, rights })
      for (const [id, installation] of github.state.installations) {
        github.state.installations.set(id, { ...installation, rights })
      }
      const host = fixture.another()
      const workflow = write('.github/workflows/ci.yaml', 'on: push')
      expect((await commitTo({ host, repository }, workflow)) as unknown).toStrictEqual(
        denied('workflows: write on acme/gitops'),
      )
      value(await commitTo({ host, repository }, write('x', 'on: push')))
    },
  )
})
