import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  cp,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { backUp } from '#src/cli/backup/backup.ts'
import { writeArchive } from '#src/cli/backup/archive.ts'
import { restoreBackup, verifyBackup } from '#src/cli/backup/restore.ts'
import { requireNoUnfinishedRestore, UNFINISHED_RESTORE } from '#src/compose/unfinished-restore.ts'
import { openDatabase } from '#src/lib/adapters/database/index.ts'
import { KEPT_TABLES, LEFT_OUT_TABLES, noteLastDone } from '#src/lib/adapters/database/rows.ts'
import { createLocalGitHost } from '#src/lib/adapters/hosts/forge/index.ts'
import { openPull, topic, value } from '#tests/contracts/git-host.ts'
import { openLocal, type LocalFixture } from '#tests/adapters/hosts/open-local.ts'
import { describePostgres } from '#tests/peers/postgres.ts'
import { keyOf } from '#tests/support/docs-page.ts'
import { runPortico, SOURCE, spawnPortico } from '#tests/support/portico-process.ts'
import { engineAt, fillDatabase, rowsAt } from './filled-database.ts'

let fixture: LocalFixture
/** The data directory of the backups. */
let home: string
let folder: string
let file: string
let bytes: Buffer

const urlIn = (directory: string) => `sqlite:${join(directory, 'portico.sqlite')}`
const sourceOf = (DATA_DIR: string, more: Readonly<Record<string, string>> = {}) => ({
  environment: { DATA_DIR, ...more },
  readFile: () => '',
})

function textOf(
  outcome: Awaited<ReturnType<typeof backUp>> | Awaited<ReturnType<typeof verifyBackup>>,
): string {
  if (!outcome.ok) return typeof outcome.error === 'string' ? outcome.error : 'settings'
  if (typeof outcome.value === 'string') return outcome.value
  return outcome.value.ok ? outcome.value.value : outcome.value.error
}
const backUpTo = async (to: string, directory = home, more?: Readonly<Record<string, string>>) =>
  textOf(await backUp(to, sourceOf(directory, more)))
const restore = async (from: string, directory: string, more?: Readonly<Record<string, string>>) =>
  textOf(await restoreBackup(from, sourceOf(directory, more)))
const newFolder = () => mkdtemp(join(folder, 'data-'))
const VERIFIED =
  /^1233 rows and 3 repositories of 20\S+Z, by Portico \S+\. Its secrets need the keys key_id/

beforeAll(async () => {
  fixture = await openLocal()
  home = fixture.scratch
  folder = await mkdtemp(join(tmpdir(), 'portico-backup-'))
  await topic(fixture, 'topic')
  await openPull(fixture, 'topic')
  // Repositories that were put there by hand.
  const bare = (name: string) => join(home, 'git', 'acme', `${name}.git`)
  await Bun.$`git init --quiet --bare --initial-branch=trunk ${bare('empty')}`.quiet()
  await Bun.$`git clone --quiet --bare ${fixture.bare} ${bare('copy')}`.quiet()
  await fillDatabase(urlIn(home))
  file = join(folder, 'backup.tar')
  expect(await backUpTo(file)).toMatch(/backup\.tar: \d+ bytes, the database and 3 repositories\.$/)
  bytes = await readFile(file)
})
afterAll(async () => {
  await fixture[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

/** Reads twice, with a write of somebody else in between. */
async function seesOneMoment(url: string): Promise<void> {
  const [engine, other] = [await engineAt(url), await engineAt(url)]
  const seen = await engine.transactionAtLength('read', async (sql) => {
    const count = async () => {
      const [row] = await sql<{ n: number | string }[]>`SELECT COUNT(*) AS n FROM used_token`
      return Number(row?.n)
    }
    const before = await count()
    await other.run((sql) => sql`INSERT INTO used_token (id, until) VALUES ('later', 1)`)
    return [before, await count()]
  })
  await other.run((sql) => sql`DELETE FROM used_token WHERE id = 'later'`)
  await engine.close()
  await other.close()
  expect(seen).toStrictEqual({ ok: true, value: [3, 3] })
}

const kept = (rows: ReadonlyMap<string, readonly string[]>) =>
  new Map(Object.keys(KEPT_TABLES).map((table) => [table, rows.get(table)]))

describe('a backup', () => {
  test('says what it has, and is for its owner alone', async () => {
    expect(textOf(await verifyBackup(file))).toMatch(VERIFIED)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
  })

  test('is a tar file whose digests sha256sum checks', async () => {
    const unpacked = await newFolder()
    await Bun.$`tar -xf ${file} && sha256sum --check --quiet --strict SHA256SUMS`.cwd(unpacked)
    const manifest: unknown = await Bun.file(join(unpacked, 'manifest.json')).json()
    expect(manifest).toMatchObject({ format: 1, schema: { version: 3 } })
  })

  test('has every table, or leaves it out on purpose', async () => {
    const all = [...(await rowsAt(urlIn(home))).keys()].toSorted()
    expect([...Object.keys(KEPT_TABLES), ...LEFT_OUT_TABLES].toSorted()).toStrictEqual(all)
  })

  test('is noted in the database, and shows no value of a session', async () => {
    const database = await openDatabase(urlIn(home))
    if (!database.ok) throw new Error(database.error.reason)
    const noted = await database.value.lastBackup()
    await database.value.close()
    expect(noted).toStrictEqual({ ok: true, value: expect.any(Number) })
    expect(bytes.includes('id_hash')).toBe(false)
  })

  test('sees one moment of the rows', () => seesOneMoment(urlIn(home)))

  test('leaves nothing, and what was there, when it fails', async () => {
    const broken = await newFolder()
    const to = join(broken, 'b.tar')
    await writeFile(to, 'yesterday')
    expect(await backUpTo(to, join(broken, 'nowhere'))).toContain('there is no database in')
    await cp(join(home, 'git'), join(broken, 'git'), { recursive: true })
    await fillDatabase(urlIn(broken))
    // The first one fails while the last one is being packed.
    await rm(join(broken, 'git', 'acme', 'copy.git', 'objects'), { recursive: true })
    const last = ['git', `--git-dir=${join(broken, 'git', 'acme', 'gitops.git')}`]
    const big = new Response(randomBytes(16_000_000))
    const id = (await Bun.$`${last} hash-object -w --stdin < ${big}`.text()).trim()
    await Bun.$`${last} update-ref refs/tags/big ${id}`
    expect(await backUpTo(to, broken)).toContain('git: ')
    expect(await readFile(to, 'utf8')).toBe('yesterday')
    expect((await readdir(broken)).filter((name) => name.startsWith('.'))).toStrictEqual([])
  })

  test('removes what a killed one has left, and nothing of one that is being written', async () => {
    const shared = await newFolder()
    const to = join(shared, 'b.tar')
    const [dead, alive] = [`${shared}/.b.tar.dead`, `${shared}/.b.tar.alive`]
    await writeFile(dead, '')
    await writeFile(alive, '')
    await utimes(dead, 1, 1)
    expect(await backUpTo(to)).toContain('3 repositories')
    expect((await readdir(shared)).toSorted()).toStrictEqual(['.b.tar.alive', 'b.tar'])
  })

  test('is refused of a newer database', async () => {
    const newer = await newFolder()
    await fillDatabase(urlIn(newer))
    const engine = await engineAt(urlIn(newer))
    await engine.run((sql) => sql`INSERT INTO schema_addition (name) VALUES ('of_tomorrow')`)
    await engine.close()
    expect(await backUpTo(join(newer, 'b.tar'), newer)).toContain('newer version')
  })
})

describe('a restore', () => {
  test('has the same rows, refs, settings and pull requests', async () => {
    const target = await newFolder()
    expect(await restore(file, target)).toMatch(VERIFIED)
    expect(kept(await rowsAt(urlIn(target)))).toStrictEqual(kept(await rowsAt(urlIn(home))))
    expect((await rowsAt(urlIn(target))).get('session')).toStrictEqual([])
    for (const name of ['gitops', 'empty', 'copy']) {
      const at = (root: string) => join(root, 'git', 'acme', `${name}.git`)
      const refs = (root: string) => Bun.$`git --git-dir=${at(root)} for-each-ref`.text()
      const head = (root: string) => readFile(join(at(root), 'HEAD'), 'utf8')
      expect([await refs(target), await head(target)]).toStrictEqual([
        await refs(home),
        await head(home),
      ])
    }
    const host = createLocalGitHost({ directory: join(target, 'git'), publicUrl: 'http://a.test' })
    expect(await host.browse.about(fixture.repository)).toStrictEqual(
      await fixture.host.browse.about(fixture.repository),
    )
    const pulls = value(await host.findPullRequests(fixture.repository, { number: 1 }))
    expect(pulls).toMatchObject([{ number: 1, state: 'open' }])
    expect((await readdir(target)).toSorted()).toStrictEqual(['git', 'portico.sqlite'])
    // Everything that a start needs is made by the next one.
    const database = await openDatabase(urlIn(target))
    expect(database.ok).toBe(true)
    if (database.ok) await database.value.close()
  })

  describePostgres('into PostgreSQL', (peer) => {
    test('and back has the same rows', async () => {
      const [target, back] = [await newFolder(), await newFolder()]
      const more = { DATABASE_URL: await peer().createDatabase() }
      expect(await restore(file, target, more)).toMatch(VERIFIED)
      expect(await restore(file, await newFolder(), more)).toContain('the database is not empty')
      await seesOneMoment(more.DATABASE_URL)
      const again = join(back, 'again.tar')
      expect(await backUpTo(again, target, more)).toContain('3 repositories')
      expect(await restore(again, back)).toMatch(VERIFIED)
      expect(kept(await rowsAt(urlIn(back)))).toStrictEqual(kept(await rowsAt(urlIn(home))))
    })

    test('is rolled back with a damaged backup', async () => {
      const more = { DATABASE_URL: await peer().createDatabase() }
      const cut = join(folder, 'cut-for-postgres.tar')
      await writeFile(cut, bytes.subarray(0, -1_024))
      expect(await restore(cut, await newFolder(), more)).toContain('cut off')
      expect((await rowsAt(more.DATABASE_URL)).size).toBe(0)
    })

    test('at once with another process is one restore', async () => {
      const more = { DATABASE_URL: await peer().createDatabase() }
      const target = await newFolder()
      const both = await Promise.all([1, 2].map(() => restore(file, target, more)))
      expect(both.toSorted()).toStrictEqual([
        expect.stringMatching(VERIFIED),
        expect.stringMatching(/had everything in its place|the database is not empty/),
      ])
      expect(kept(await rowsAt(more.DATABASE_URL))).toStrictEqual(kept(await rowsAt(urlIn(home))))
      expect((await readdir(join(target, 'git', 'acme'))).length).toBe(3)
    })
  })

  test('refuses a target that is not empty, and leaves it as it is', async () => {
    const withRows = await newFolder()
    await fillDatabase(urlIn(withRows))
    expect(await restore(file, withRows)).toContain('the database is not empty')
    const withGit = await newFolder()
    await mkdir(join(withGit, 'git', 'acme'), { recursive: true })
    expect(await restore(file, withGit)).toContain('git is not empty')
    expect((await rowsAt(urlIn(withGit))).size).toBe(0)
  })
})

describe('a damaged backup', () => {
  const damaged = join(tmpdir(), `portico-damaged-${process.pid}`)
  afterAll(() => rm(damaged, { force: true }))
  const isRefused = async (content: Uint8Array) => {
    await writeFile(damaged, content)
    return !(await verifyBackup(damaged)).ok
  }

  test('with any byte flipped is refused', async () => {
    // Every byte of a header, and some of each member and of the digests.
    const positions = new Set<number>()
    for (let at = 0; at < bytes.length; at += at < 512 ? 1 : 449) positions.add(at)
    for (let at = bytes.length - 2_560; at < bytes.length; at += 13) positions.add(at)
    const accepted: number[] = []
    for (const at of positions) {
      const flipped = Buffer.from(bytes)
      flipped[at] = (flipped[at] ?? 0) ^ (1 << (at % 8))
      if (!(await isRefused(flipped))) accepted.push(at)
    }
    expect(accepted).toStrictEqual([])
  })

  test('cut anywhere, or with something behind its end, is refused', async () => {
    const lengths = Array.from({ length: 40 }, (_, index) =>
      Math.floor((bytes.length * index) / 40),
    )
    for (const length of [...lengths, bytes.length - 1]) {
      expect([length, await isRefused(bytes.subarray(0, length))]).toStrictEqual([length, true])
    }
    expect(await isRefused(Buffer.concat([bytes, Buffer.alloc(1)]))).toBe(true)
  })

  const manifest = (more: object = {}) => ({
    format: 1,
    portico: '9.0.0',
    createdAt: '2026-11-28T10:00:00.000Z',
    schema: { version: 3, additions: [] },
    keyIds: [],
    ...more,
  })
  const ID = {
    owner: 'acme',
    name: 'a',
    defaultBranch: 'main',
    marker: null,
    description: null,
    team: null,
  }

  const first = (more?: object) => ({ 'manifest.json': manifest(more) })
  const used = first({ schema: { version: 3, additions: ['used_token'] } })
  const tomorrow = first({ schema: { version: 4, additions: [] } })
  const added = first({ schema: { version: 3, additions: ['x'] } })
  const climbing = { ...ID, name: '..' }

  // prettier-ignore
  test.each<[string, Readonly<Record<string, unknown>>, string]>([
    ['nothing',                                {},                                                    'it is empty'],
    ['no manifest',                            { 'rows/run.jsonl': '' },                              'manifest'],
    ['a newer schema',                         tomorrow,                                              'newer version (9.0.0)'],
    ['an unknown addition',                    added,                                                 'newer'],
    ['another format',                         first({ format: 2 }),                                  'manifest'],
    ['a path that climbs',                     { ...first(), 'git/../../etc/x': 'x' },                'not known: git/../..'],
    ['a table of ours that no backup has',     { ...first(), 'rows/session.jsonl': '{}\n' },          'not known'],
    ['a repository that climbs',               { ...first(), 'git/000001.json': climbing },           'not known'],
    ['a bundle of no repository',              { ...first(), 'git/000001.bundle': '' },               'not known'],
    ['a repository without its bundle',        { ...first(), 'git/000001.json': ID },                 'no bundle of acme/a'],
    ['a value of another type',                { ...used, 'rows/used_token.jsonl': '{"id":["a"],"until":1}\n' }, 'table used_token does not take'],
    ['a row without what the table requires',  { ...used, 'rows/used_token.jsonl': '{"id":"a"}\n' },  'table used_token does not take'],
    ['half a row',                             { ...first(), 'rows/run.jsonl': '{"id":' },            'middle of a row'],
    ['a column that is not there',             { ...first(), 'rows/run.jsonl': '{"x":1}\n' },         'table run does not take'],
    ['a bundle that is none',                  { ...first(), 'git/000001.json': ID, 'git/000001.bundle': 'x' }, 'git: '],
  ])('with %s is refused, and nothing is left of it', async (_, members, reason) => {
    const target = await newFolder()
    const path = join(target, 'crafted.tar')
    const crafted = await open(path, 'wx')
    const archive = writeArchive(crafted)
    for (const [name, content] of Object.entries(members)) {
      await archive.add(name, [typeof content === 'string' ? content : JSON.stringify(content)])
    }
    await archive.finish()
    await crafted.close()
    expect(await restore(path, target)).toContain(reason)
    expect((await rowsAt(urlIn(target))).size).toBe(0)
    expect((await readdir(target)).toSorted()).toStrictEqual(['crafted.tar', 'portico.sqlite'])
  })

  test('with digests longer than those of its members is refused before they are read', async () => {
    const path = join(await newFolder(), 'crafted.tar')
    const crafted = await open(path, 'wx')
    await writeArchive(crafted).add('SHA256SUMS', ['x'.repeat(2_000)])
    await crafted.truncate(600)
    await crafted.close()
    expect(textOf(await verifyBackup(path))).toContain('a digest is not')
  })

  test('with a link is refused', async () => {
    const target = await newFolder()
    await Bun.$`ln -s /etc/passwd manifest.json && tar --format=ustar -cf linked.tar manifest.json`.cwd(
      target,
    )
    expect(await restore(join(target, 'linked.tar'), target)).toContain('damaged at byte 0')
  })
})

describe('a restore that was killed', () => {
  /** The data directory as a kill at this moment leaves it. */
  async function killed(
    where: 'while it read' | 'before the commit' | 'after the commit' | 'at its very end',
  ) {
    const target = await newFolder()
    await mkdir(join(target, UNFINISHED_RESTORE, '..', 'git', 'acme'), { recursive: true })
    await writeFile(join(target, UNFINISHED_RESTORE), '42')
    await writeFile(join(target, UNFINISHED_RESTORE, '..', '1.bundle'), 'half')
    if (where === 'while it read') return target
    if (where === 'before the commit') {
      await mkdir(join(target, 'git', 'acme', 'gitops.git'), { recursive: true })
      return target
    }
    await cp(join(home, 'git'), join(target, 'git'), { recursive: true })
    await fillDatabase(urlIn(target))
    const engine = await engineAt(urlIn(target))
    await engine.transaction('test', (sql) => noteLastDone(sql, 'restore', 42))
    await engine.close()
    if (where === 'at its very end') await rm(join(target, UNFINISHED_RESTORE))
    return target
  }

  test.each(['while it read', 'before the commit', 'after the commit'] as const)(
    '%s is completed by the next one, and serves nothing before',
    async (where) => {
      const target = await killed(where)
      expect(() => requireNoUnfinishedRestore(target)).toThrow('was broken off')
      expect(await restore(file, target)).toMatch(
        where === 'after the commit' ? /had everything in its place/ : VERIFIED,
      )
      expect(() => requireNoUnfinishedRestore(target)).not.toThrow()
      const rows = kept(await rowsAt(urlIn(target)))
      expect(rows.get('run_event')?.length).toBe(1_203)
      expect(existsSync(join(target, 'git', 'acme', 'gitops.git', 'HEAD'))).toBe(true)
    },
  )

  test('at its very end is complete', async () => {
    const target = await killed('at its very end')
    expect(() => requireNoUnfinishedRestore(target)).not.toThrow()
    expect(await restore(file, target)).toContain('the database is not empty')
  })

  test('does not take the rows of somebody else for its own', async () => {
    const target = await killed('after the commit')
    await writeFile(join(target, UNFINISHED_RESTORE), '43')
    expect(await restore(file, target)).toContain('the database is not empty')
    expect(existsSync(join(target, 'git', 'acme', 'gitops.git', 'HEAD'))).toBe(true)
  })
})

describe('the commands', () => {
  test('serve does not start beside an unfinished restore', async () => {
    const target = await newFolder()
    await mkdir(join(target, UNFINISHED_RESTORE), { recursive: true })
    const served = await runPortico(['serve'], {
      DATA_DIR: target,
      PORT: '0',
      HOST: '127.0.0.1',
      PUBLIC_URL: 'http://portal.test',
      GITOPS_REPOSITORY: 'acme/gitops',
      SESSION_KEYS: keyOf(1),
      SECRET_STORE_KEYS: keyOf(2),
    })
    expect(served).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('was broken off') })
  })

  test('back up, verify and restore, after a restore that was killed', async () => {
    const to = join(folder, 'by-command.tar')
    const keys = { SESSION_KEYS: keyOf(1), SECRET_STORE_KEYS: keyOf(2) }
    const made = await runPortico(['backup', '--to', to], { DATA_DIR: home, ...keys })
    expect(made).toMatchObject({ exitCode: 0, stderr: '' })
    const content = await readFile(to)
    for (const key of Object.values(keys)) expect(content.includes(key)).toBe(false)
    const verified = await runPortico(['backup', 'verify', to], {})
    expect(verified).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(VERIFIED) })

    const target = await newFolder()
    // Nobody writes there: a restore that is faster than this loop would have ended unseen.
    const endless = join(folder, 'endless.tar')
    await Bun.$`mkfifo ${endless}`
    const running = spawnPortico(['restore', endless], { DATA_DIR: target })
    while (!existsSync(join(target, UNFINISHED_RESTORE))) await Bun.sleep(1)
    await running.end('SIGKILL')
    const broken = await runPortico(['restore', file.replace('backup', 'absent')], {
      DATA_DIR: target,
    })
    expect(broken).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('ENOENT') })
    expect(await restore(to, target)).toMatch(VERIFIED)
    expect(kept(await rowsAt(urlIn(target)))).toStrictEqual(kept(await rowsAt(urlIn(home))))
  })

  const namespace = ['unshare', '--user', '--map-root-user', '--mount']
  const hasNamespaces =
    Bun.which('unshare') !== null && Bun.spawnSync([...namespace, 'true']).success

  test.skipIf(!hasNamespaces)('say that the disk is full, and leave nothing there', async () => {
    const small = await newFolder()
    const script = `mount -t tmpfs -o size=64k none ${small} || exit 9; ${SOURCE.join(' ')} backup --to ${small}/b.tar; s=$?; ls -A ${small}; exit $s`
    const child = Bun.spawn([...namespace, 'sh', '-c', script], {
      env: { PATH: process.env['PATH'] ?? '', DATA_DIR: home },
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const printed = await Promise.all([child.stdout.text(), child.stderr.text()])
    expect([await child.exited, ...printed]).toStrictEqual([
      1,
      '',
      expect.stringContaining('ENOSPC'),
    ])
  })
})
