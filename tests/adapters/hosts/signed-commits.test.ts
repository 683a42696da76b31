import { describe, expect, test } from 'bun:test'
import { chmod, mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createLocalGitHost } from '#src/lib/adapters/hosts/forge/index.ts'
import { openGit } from '#src/lib/adapters/hosts/signing-key.ts'
import {
  AUTHOR,
  branch,
  repositoryId,
  SEED,
  TEAM,
  value,
  write,
} from '#tests/contracts/git-host.ts'
import { openFake } from '#tests/adapters/hosts/gitea/open-gitea.ts'
import { sharedFolder } from '#tests/support/shared-folder.ts'

const COMMENT = 'Portico of Acme <portico@acme.example>'

const run = (program: string, ...args: readonly string[]) => {
  const { exitCode, stdout, stderr } = Bun.spawnSync([program, ...args])
  return { exitCode, text: `${stdout.toString()}${stderr.toString()}` }
}

/** A key by ssh-keygen. */
async function keyFile({ type = 'ed25519', passphrase = '', comment = COMMENT } = {}) {
  const file = join(await mkdtemp(join(sharedFolder(), 'key-')), 'key')
  run('ssh-keygen', '-q', '-t', type, '-N', passphrase, '-C', comment, '-f', file)
  return file
}

async function signerOf(file: string) {
  const opened = await openGit(file)
  if (!opened.ok) throw new Error(opened.error)
  const allowed = `${file}.allowed`
  const publicKey = await Bun.file(`${file}.pub`).text()
  await writeFile(allowed, `portico@acme.example namespaces="git" ${publicKey}`)
  const verify = (bare: string, commit: string) =>
    run(
      'git',
      `--git-dir=${bare}`,
      '-c',
      `gpg.ssh.allowedSignersFile=${allowed}`,
      'verify-commit',
      commit,
    )
  return { signing: opened.value, verify }
}

const people = (bare: string, commit: string) =>
  run('git', `--git-dir=${bare}`, 'show', '-s', '--format=%an <%ae>, %cn <%ce>', commit).text.trim()

const BOTH = `${AUTHOR.name} <${AUTHOR.email}>, ${COMMENT}`

describe('with a signing key', () => {
  test('every commit of the embedded host is signed: the first, changes and merges', async () => {
    const { signing, verify } = await signerOf(await keyFile())
    const directory = await mkdtemp(join(sharedFolder(), 'signed-'))
    const host = createLocalGitHost({ directory, publicUrl: 'http://portico.test', signing })
    const repository = repositoryId('acme', 'gitops')
    const bare = join(directory, 'acme/gitops.git')
    const asked = { description: 'd', team: TEAM, marker: 'm', files: SEED, author: AUTHOR }
    const { head } = value(await host.createRepository(repository, { ...asked, message: 'Seed' }))
    const change = {
      branch: branch('topic'),
      from: { kind: 'create', parent: head.commit },
      changes: [write('a', 'b')],
      message: 'Ändert\n\nMit einem Trailer: ja',
      author: AUTHOR,
    } as const
    const changed = value(await host.commit(repository, change))
    const pull = value(
      await host.openPullRequest(repository, {
        head: branch('topic'),
        base: head.branch,
        title: 'T',
        body: '',
        author: AUTHOR,
      }),
    )
    const { number } = pull.pullRequest
    const merged = value(await host.mergePullRequest(repository, number, { by: AUTHOR }))
    for (const commit of [head.commit, changed.commit, merged.mergeCommit ?? '']) {
      expect(verify(bare, commit)).toMatchObject({
        exitCode: 0,
        text: expect.stringContaining('Good "git" signature for portico@acme.example'),
      })
      expect(people(bare, commit)).toBe(BOTH)
    }
    expect(run('git', `--git-dir=${bare}`, 'fsck', '--strict').exitCode).toBe(0)
    const other = await signerOf(await keyFile())
    expect(other.verify(bare, changed.commit).exitCode).not.toBe(0)
  })

  test('commits that are pushed to a host are signed', async () => {
    const { signing, verify } = await signerOf(await keyFile())
    await using fixture = await openFake(undefined, { signing })
    const { host, repository, gitea } = fixture
    const { git } = gitea.state.repository(repository.owner, repository.name) ?? {}
    const bare = git?.directory ?? ''
    const parent = value(await host.head(repository))
    const { commit } = value(
      await host.commit(repository, {
        branch: branch('topic'),
        from: { kind: 'create', parent: parent.commit },
        changes: [write('a', 'b')],
        message: 'Change',
        author: AUTHOR,
      }),
    )
    // The first one too.
    for (const each of [parent.commit, commit]) {
      expect(verify(bare, each).exitCode).toBe(0)
      expect(people(bare, each)).toBe(BOTH)
    }
  })
})

describe('a signing key is refused', () => {
  test.each([
    ['with a passphrase', { passphrase: 'secret' }, 'has a passphrase'],
    ['of another type', { type: 'ecdsa' }, 'is no Ed25519 key'],
    ['without an address', { comment: 'the portal' }, 'has a comment that is no e-mail address'],
  ])('%s', async (_, given, why) => {
    const file = await keyFile(given)
    expect(await openGit(file)).toStrictEqual({
      ok: false,
      error: expect.stringContaining(`GIT_SIGNING_KEY_FILE: ${file} ${why}`),
    })
  })

  test('that everybody can read, that is none, or that is not there', async () => {
    const file = await keyFile()
    await chmod(file, 0o644)
    expect(await openGit(file)).toMatchObject({ error: expect.stringContaining('chmod o=') })
    await chmod(file, 0o640)
    expect(await openGit(file)).toMatchObject({ ok: true })
    const cut = (await Bun.file(file).text()).replace(/\n.*\n.*\n-----END/, '\n-----END')
    await writeFile(file, cut)
    const none = { error: `GIT_SIGNING_KEY_FILE: ${file} is no private key of OpenSSH` }
    expect(await openGit(file)).toMatchObject(none)
    await writeFile(file, 'ssh-ed25519 AAAA')
    expect(await openGit(file)).toMatchObject(none)
    expect(await openGit(`${file}.absent`)).toMatchObject({
      error: `GIT_SIGNING_KEY_FILE: ${file}.absent cannot be read (ENOENT)`,
    })
  })
})
