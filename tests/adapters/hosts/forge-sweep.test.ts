import { describe, expect, test } from 'bun:test'
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createLocalGitHost } from '#src/lib/adapters/hosts/forge/index.ts'
import { removeLocks } from '#src/lib/git/sweep.ts'
import { AUTHOR, TEAM, repositoryId, value } from '#tests/contracts/git-host.ts'
import {
  clone,
  git,
  openLocal,
  proposal,
  PUBLIC_URL,
  serve,
  type LocalFixture,
} from './open-local.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

/** A file or folder that was last changed this long ago. */
async function leave(path: string, ageMs: number, kind: 'file' | 'folder' = 'file') {
  await mkdir(kind === 'folder' ? path : dirname(path), { recursive: true })
  if (kind === 'file') await writeFile(path, '')
  const then = new Date(Date.now() - ageMs)
  await utimes(path, then, then)
}

const exists = async (path: string) =>
  (await readdir(dirname(path))).includes(path.slice(dirname(path).length + 1))

const restarted = ({ scratch }: LocalFixture) =>
  createLocalGitHost({ directory: join(scratch, 'git'), publicUrl: PUBLIC_URL })

describe('local: what a crash has left', () => {
  test.each([
    ['long ago', 10 * MINUTE_MS],
    ['before the clock was set back', -2 * 60 * MINUTE_MS],
  ])('a change removes every lock in its way, of %s', async (_, ageMs) => {
    await using fixture = await openLocal()
    const { host, repository, bare } = fixture
    const { number } = await proposal(fixture, 'topic')
    const locks = ['refs/heads/main.lock', `refs/portico/pulls/${number}.lock`, 'packed-refs.lock']
    for (const lock of locks) await leave(join(bare, lock), ageMs)
    const merged = value(await host.mergePullRequest(repository, number, { by: AUTHOR }))
    expect(merged.state).toBe('merged')
    for (const lock of locks)
      expect([lock, await exists(join(bare, lock))]).toStrictEqual([lock, false])
  })

  test('a young lock has an owner', async () => {
    await using fixture = await openLocal()
    const lock = join(fixture.bare, 'refs/heads/main.lock')
    await leave(lock, 30_000)
    await removeLocks(fixture.bare, ['refs/heads/main'])
    expect(await exists(lock)).toBe(true)
  })

  test('pushes go on after a restart', async () => {
    await using fixture = await openLocal()
    const { bare, scratch } = fixture
    await git(scratch, [`--git-dir=${bare}`, 'branch', 'topic', 'main'])
    await git(scratch, [`--git-dir=${bare}`, 'pack-refs', '--all'])
    for (const file of [
      'packed-refs.lock',
      'packed-refs.new',
      'refs/heads/topic.lock',
      'HEAD.lock',
    ]) {
      await leave(join(bare, file), 10 * MINUTE_MS)
    }
    await using server = serve(restarted(fixture), AUTHOR)
    const work = await clone(fixture, server.url)
    await git(work, ['push', '--quiet', 'origin', ':topic'])
    expect(await git(work, ['ls-remote', '--heads', 'origin'])).not.toContain('topic')
  })

  test('a restart sweeps what only takes space, and spares the young', async () => {
    await using fixture = await openLocal()
    const { repository, scratch, bare } = fixture
    const left = [
      ['objects/tmp_objdir-incoming-A/pack', 'folder'],
      ['objects/tmp_objdir-incoming-A', 'folder'],
      ['objects/pack/tmp_pack_A', 'file'],
      ['objects/pack/.tmp-12-pack-A.pack', 'file'],
      ['objects/ab/tmp_obj_A', 'file'],
      ['objects/info/commit-graph.lock', 'file'],
      ['fast_import_crash_12', 'file'],
      ['../.new-A', 'folder'],
    ] as const
    const youngOf = (name: string) =>
      name.replace('A', 'B').replace('12', '13').replace('graph', 'graph-B')
    for (const [name, kind] of left) {
      await leave(join(bare, youngOf(name)), 30 * MINUTE_MS, kind)
      await leave(join(bare, name), DAY_MS, kind)
    }
    value(await restarted(fixture).head(repository))
    for (const [name] of left.slice(1)) {
      expect([name, await exists(join(bare, name))]).toStrictEqual([name, false])
      expect([name, await exists(join(bare, youngOf(name)))]).toStrictEqual([name, true])
    }
    expect(await git(scratch, [`--git-dir=${bare}`, 'fsck', '--strict'])).toBe('')
  })

  test('repositories that were never finished go with the next one', async () => {
    await using fixture = await openLocal()
    const owner = join(fixture.scratch, 'git/other')
    await leave(join(owner, '.new-old'), DAY_MS, 'folder')
    await leave(join(owner, '.new-young'), MINUTE_MS, 'folder')
    const request = {
      description: '',
      team: TEAM,
      marker: 'm',
      files: [],
      message: 'm',
      author: AUTHOR,
    }
    value(await fixture.host.createRepository(repositoryId('other', 'next'), request))
    expect((await readdir(owner)).toSorted()).toStrictEqual(['.new-young', 'next.git'])
  })
})
