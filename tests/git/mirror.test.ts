import { afterAll, describe, expect, setSystemTime, test } from 'bun:test'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { cp, mkdir, readdir, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { currentPerson, onBehalfOf } from '#src/lib/concurrency/on-behalf-of.ts'
import { createQueue } from '#src/lib/concurrency/queue.ts'
import { maintainMirror } from '#src/lib/git/maintenance.ts'
import { ifMissing } from '#src/lib/files/errno.ts'
import { createMirrorFolders } from '#src/lib/git/mirror-folders.ts'
import { createMirrorStore } from '#src/lib/git/mirror-store.ts'
import { type ObjectId, RepositoryPart } from '#src/lib/names.ts'
import type { GitHost } from '#src/lib/ports/git-host.ts'
import { err, ok } from '#src/lib/result.ts'
import { newDataDirectory } from '#tests/adapters/hosts/data-directory.ts'
import { openGitHub } from '#tests/adapters/hosts/github/open-github.ts'
import { GIT_HOSTS, type HostedFixture } from '#tests/adapters/hosts/hosted/git-hosts.ts'
import {
  AUTHOR,
  branch,
  BYTES_MAX,
  bytes,
  collect,
  oid,
  path,
  SEED,
  value,
  write,
} from '#tests/contracts/git-host.ts'
import { commitFiles } from '#tests/peers/forge/commit-files.ts'

const [[, openHost]] = GIT_HOSTS
const SEEDED = new Map(
  SEED.map(({ path, bytes }) => [String(path), Buffer.from(bytes).toString()] as const),
)

/** A process that has read everything, its mirror, and a commit that it has not seen. */
async function open() {
  const fixture = await openHost()
  const { repository, seed, bare } = fixture
  const dataDirectory = newDataDirectory()
  const host = fixture.another({ dataDirectory })
  const second = oid(await commitFiles({ git: bare }, 'main', [{ path: 'x', bytes: bytes('x') }]))
  const texts = await readAll(host, fixture, second)
  expect(texts).toStrictEqual(new Map([...SEEDED, ['x', 'x']]))
  const mirror = join(dataDirectory, 'mirrors', repository.owner, `${repository.name}.git`)
  // The history that the first fetch left out comes in the background.
  value(await host.listCommits(repository, { of: second, without: seed, limit: 9 }))
  while (await isThere(join(mirror, 'shallow'))) await Bun.sleep(10)
  const third = oid(await commitFiles({ git: bare }, 'main', [{ path: 'y', bytes: bytes('y') }]))
  fixture.gitArrivals.splice(0)
  return { ...fixture, dataDirectory, host, mirror, second, third }
}

type Opened = Awaited<ReturnType<typeof open>>

let shared: Opened | undefined
afterAll(() => shared?.[Symbol.asyncDispose]())

/** A process of its own with a copy of one mirror, which it has read. */
async function openCopy(): Promise<Opened> {
  shared ??= await open()
  const dataDirectory = newDataDirectory()
  await cp(shared.dataDirectory, dataDirectory, { recursive: true })
  const host = shared.another({ dataDirectory })
  await readAll(host, shared, shared.second)
  shared.gitArrivals.splice(0)
  const mirror = shared.mirror.replace(shared.dataDirectory, dataDirectory)
  return { ...shared, dataDirectory, host, mirror }
}

async function readAll(
  host: GitHost,
  { repository }: Pick<HostedFixture, 'repository'>,
  commit: ObjectId,
): Promise<ReadonlyMap<string, string>> {
  const { files } = value(await host.listFiles(repository, { commit }))
  return collect(host.readFiles(repository, commit, files, BYTES_MAX))
}

const isThere = (file: string) =>
  stat(file).then(
    () => true,
    () => false,
  )

async function packsOf(mirror: string): Promise<readonly string[]> {
  const folder = join(mirror, 'objects/pack')
  const names = await readdir(folder)
  return names.filter((name) => name.endsWith('.pack')).map((name) => join(folder, name))
}

/** Zeros in the middle of a file, and its length as it was. */
async function overwrite(file: string): Promise<void> {
  const content = await Bun.file(file).bytes()
  await rm(file)
  await writeFile(file, content.fill(0, 12, Math.max(13, content.length - 20)))
}

const locksIn = (mirror: string) =>
  ['shallow.lock', 'packed-refs.lock', 'HEAD.lock', 'config.lock'].map((name) => join(mirror, name))

const DAMAGE: Readonly<Record<string, (opened: Opened) => Promise<unknown>>> = {
  'is deleted': ({ mirror }) => rm(mirror, { recursive: true }),
  'is deleted, with the folder of all': ({ dataDirectory }) =>
    rm(join(dataDirectory, 'mirrors'), { recursive: true }),
  'is empty': async ({ mirror }) => {
    await rm(mirror, { recursive: true })
    await mkdir(mirror)
  },
  'has no HEAD': ({ mirror }) => rm(join(mirror, 'HEAD')),
  'has an empty HEAD': ({ mirror }) => writeFile(join(mirror, 'HEAD'), ''),
  'has an empty configuration': ({ mirror }) => writeFile(join(mirror, 'config'), ''),
  'has a configuration that is none': ({ mirror }) => writeFile(join(mirror, 'config'), '[[['),
  'has truncated packs': async ({ mirror }) => {
    for (const pack of await packsOf(mirror)) await truncate(pack, 20)
  },
  'has no packs': async ({ mirror }) => {
    for (const pack of await packsOf(mirror)) await rm(pack)
  },
  'has packs with other bytes': async ({ mirror }) => {
    for (const pack of await packsOf(mirror)) await overwrite(pack)
  },
  'has indexes with other bytes': async ({ mirror }) => {
    for (const pack of await packsOf(mirror)) await overwrite(pack.replace(/pack$/, 'idx'))
  },
  'has no objects': ({ mirror }) => rm(join(mirror, 'objects'), { recursive: true }),
  'has an empty ref': ({ mirror, second }) =>
    writeFile(join(mirror, 'refs/portico/seen', second), ''),
  'has a ref to nothing': ({ mirror }) =>
    writeFile(join(mirror, 'refs/portico/seen', '1'.repeat(40)), `${'1'.repeat(40)}\n`),
  'has locks of a dead process': async ({ mirror, second, third }) => {
    await mkdir(join(mirror, 'refs/portico/seen'), { recursive: true })
    const refs = [second, third].map((id) => join(mirror, `refs/portico/seen/${id}.lock`))
    for (const lock of [...locksIn(mirror), ...refs]) await writeFile(lock, '')
  },
  'has a shallow file that is none': ({ mirror }) => writeFile(join(mirror, 'shallow'), 'x\n'),
  'has a shallow file of an unknown commit': ({ mirror }) =>
    writeFile(join(mirror, 'shallow'), `${'1'.repeat(40)}\n`),
  'has a broken commit graph': async ({ mirror }) => {
    const graphs = join(mirror, 'objects/info/commit-graphs')
    await mkdir(graphs, { recursive: true })
    await writeFile(join(mirror, 'objects/info/commit-graph'), 'CGPH')
    await writeFile(join(graphs, 'commit-graph-chain'), `${'1'.repeat(40)}\n`)
  },
  'is that of another repository': async ({ mirror }) => {
    await rm(mirror, { recursive: true })
    await Bun.$`git init --quiet --bare ${mirror}`.quiet()
    const commit = 'commit refs/heads/main\ncommitter A <a@b> 1 +0000\ndata 1\nx\n'
    await Bun.$`git --git-dir=${mirror} fast-import --quiet < ${Buffer.from(commit)}`.quiet()
  },
}

/** As few as a fetch, a repetition and a new mirror take. */
const REQUESTS_MAX = 12

describe.each(Object.entries(DAMAGE))('a mirror that %s', (_, damage) => {
  test('costs a fetch, for a read of what it had', async () => {
    const opened = await openCopy()
    const { host, second, gitArrivals } = opened
    await damage(opened)
    expect(await readAll(host, opened, second)).toStrictEqual(new Map([...SEEDED, ['x', 'x']]))
    expect(gitArrivals.length).toBeLessThanOrEqual(REQUESTS_MAX)
  })

  test('costs a fetch, for a read of what is new', async () => {
    const opened = await openCopy()
    const { host, third, gitArrivals } = opened
    await damage(opened)
    const expected = new Map([...SEEDED, ['x', 'x'], ['y', 'y']])
    expect(await readAll(host, opened, third)).toStrictEqual(expected)
    expect(gitArrivals.length).toBeLessThanOrEqual(REQUESTS_MAX)
  })

  test('costs a fetch, for a commit', async () => {
    const opened = await openCopy()
    const { host, repository, third, bare } = opened
    await damage(opened)
    const topic = branch(`topic-${crypto.randomUUID()}`)
    const made = await host.commit(repository, {
      branch: topic,
      from: { kind: 'create', parent: third },
      changes: [write('z', 'z')],
      message: 'Change',
      author: AUTHOR,
    })
    expect(String(value(made).commit)).toBe(String(await bare.reference(`refs/heads/${topic}`)))
    const texts = await readAll(host, opened, value(made).commit)
    expect(texts.get('z')).toBe('z')
  })

  test('is found by a process that starts with it', async () => {
    const opened = await openCopy()
    const { dataDirectory, third } = opened
    await damage(opened)
    const host = opened.another({ dataDirectory })
    expect((await readAll(host, opened, third)).size).toBe(6)
  })
})

test.each(['is deleted', 'has truncated packs', 'has a shallow file that is none'] as const)(
  'a mirror that %s costs a fetch, for a history',
  async (damage) => {
    const opened = await openCopy()
    const { host, repository, seed, third } = opened
    await DAMAGE[damage]?.(opened)
    const range = { of: third, without: seed, limit: 9 }
    expect(value(await host.listCommits(repository, range)).length).toBe(2)
    const history = { of: third, paths: [path('x')], limit: 50 }
    expect(value(await host.listCommits(repository, history)).length).toBe(1)
  },
)

test.each([500, 502])('a mirror outlives a host that answers git with %d', async (status) => {
  await using opened = await open()
  const { host, repository, second, third, gitArrivals } = opened
  for (const on of ['git-advertise', 'git-upload-pack'] as const) {
    opened.fail({ on, times: 20, fault: { kind: 'answer', status, body: 'Oops' } })
    const failed = await host.listFiles(repository, { commit: third })
    expect(failed).toMatchObject({ ok: false, error: { kind: 'git_host_unreachable' } })
    opened.mend()
  }
  gitArrivals.splice(0)
  expect((await readAll(host, opened, second)).size).toBe(5)
  expect(gitArrivals).toStrictEqual([])
})

describe('a mirror that is sound stays', () => {
  test('when a request is none', async () => {
    await using opened = await open()
    const { host, repository, second, gitArrivals } = opened
    const twice = await host.commit(repository, {
      branch: branch('topic'),
      from: { kind: 'create', parent: second },
      changes: [write('z', '1'), write('z', '2')],
      message: 'Change',
      author: AUTHOR,
    })
    expect(twice).toMatchObject({ ok: false, error: { kind: 'git_host_error' } })
    expect((await readAll(host, opened, second)).size).toBe(5)
    expect(gitArrivals).toStrictEqual([])
  })

  test('when what the host has cannot be fetched', async () => {
    await using opened = await open()
    const { host, repository, second, bare } = opened
    const modules = bytes('[submodule "a"]\n\tpath = a\n\turl = -u./b\n')
    const hostile = oid(
      await commitFiles({ git: bare }, 'hostile', [{ path: '.gitmodules', bytes: modules }]),
    )
    expect(await host.listFiles(repository, { commit: hostile })).toMatchObject({ ok: false })
    opened.gitArrivals.splice(0)
    expect((await readAll(host, opened, second)).size).toBe(5)
    expect(opened.gitArrivals).toStrictEqual([])
  })

  test('without the part of a pack that has arrived', async () => {
    await using opened = await open()
    const { host, repository, third, mirror } = opened
    opened.fail({ on: 'git-upload-pack', times: 20, fault: { kind: 'cut', bytes: 400 } })
    expect(await host.listFiles(repository, { commit: third })).toMatchObject({ ok: false })
    const left = await readdir(join(mirror, 'objects/pack'))
    expect(left.filter((name) => name.startsWith('tmp_'))).toStrictEqual([])
    opened.mend()
    expect((await readAll(host, opened, third)).size).toBe(6)
  })

  test('when several processes make it at once', async () => {
    await using opened = await open()
    const dataDirectory = newDataDirectory()
    const hosts = Array.from({ length: 4 }, () => opened.another({ dataDirectory }))
    const sizes = hosts.map(async (host) => (await readAll(host, opened, opened.third)).size)
    expect(await Promise.all(sizes)).toStrictEqual([6, 6, 6, 6])
    const again = opened.another({ dataDirectory })
    expect((await readAll(again, opened, opened.third)).size).toBe(6)
  })
})

const DAY_MS = 24 * 60 * 60_000
const agedBy = async (file: string, days: number) => {
  const time = new Date(Date.now() - days * DAY_MS)
  await utimes(file, time, time)
}

const ID = { owner: RepositoryPart.of('acme'), name: RepositoryPart.of('gitops') }

/** A mirror that was last used so many days ago. */
async function mirrorOf(root: string, name: string, used: number) {
  const mirror = join(root, name)
  await Bun.$`git init --quiet --bare ${mirror}`.quiet()
  await agedBy(mirror, used)
  return mirror
}

describe('a mirror that nobody has used for a month', () => {
  test('is removed before a process uses another', async () => {
    await using opened = await open()
    const { dataDirectory, mirror, third } = opened
    const root = join(dataDirectory, 'mirrors/acme')
    const unused = await mirrorOf(root, 'group/unused.git', 31)
    const young = await mirrorOf(root, 'group/young.git', 29)
    const left = join(root, 'x.git.1.aside')
    await mkdir(left)
    await agedBy(left, 1)
    expect((await readAll(opened.another({ dataDirectory }), opened, third)).size).toBe(6)
    expect(await Promise.all([unused, young, mirror].map(isThere))).toStrictEqual([
      false,
      true,
      true,
    ])
    while (await isThere(left)) await Bun.sleep(10)
  })

  test('is never there in part', async () => {
    const root = newDataDirectory()
    const unused = await mirrorOf(root, 'acme/unused.git', 31)
    const objects = join(unused, 'objects/00')
    await mkdir(objects)
    await Promise.all(Array.from({ length: 1_000 }, (_, n) => writeFile(join(objects, `${n}`), '')))
    const located = createMirrorFolders(root, createQueue()).locate(ID)
    while (existsSync(unused)) {
      const found = await readdir(objects).catch(ifMissing([]))
      if (found.length < 1_000 && existsSync(unused)) throw new Error('it is there in part')
    }
    value(await located)
    while (readdirSync(join(root, 'acme')).length > 1) await Bun.sleep(10)
  })

  test('stays in a process that uses it', async () => {
    const root = newDataDirectory()
    const folders = createMirrorFolders(root, createQueue())
    const mirror = value(await folders.locate(ID))
    try {
      setSystemTime(Date.now() + 32 * DAY_MS)
      value(await folders.locate({ ...ID, name: RepositoryPart.of('shop') }))
    } finally {
      setSystemTime()
    }
    expect(await isThere(mirror)).toBe(true)
  })

  test('is removed by a process that runs for long', async () => {
    const root = newDataDirectory()
    const folders = createMirrorFolders(root, createQueue())
    value(await folders.locate(ID))
    const unused = await mirrorOf(root, 'group/unused.git', 31)
    value(await folders.locate(ID))
    expect(await isThere(unused)).toBe(true)
    try {
      setSystemTime(Date.now() + DAY_MS)
      value(await folders.locate(ID))
    } finally {
      setSystemTime()
    }
    expect(await isThere(unused)).toBe(false)
  })

  test('is marked as used before its reader goes on', async () => {
    const mirror = await mirrorOf(newDataDirectory(), 'acme/gitops.git', 29)
    const folders = createMirrorFolders(join(mirror, '../..'), createQueue())
    value(await folders.locate(ID))
    expect(statSync(mirror).mtimeMs).toBeGreaterThan(Date.now() - DAY_MS)
  })
})

/** A mirror with a pack of so many commits. */
async function mirrorOfCommits(count: number) {
  const mirror = await mirrorOf(newDataDirectory(), 'mirror.git', 0)
  const git = async (input: string, ...args: readonly string[]) =>
    (await Bun.$`git --git-dir=${mirror} ${args} < ${Buffer.from(input)}`.quiet().text()).trim()
  const commits = Array.from({ length: count }, (_, index) =>
    [`commit refs/portico/seen/${index}`, `committer A <a@b> ${index} +0000`, 'data 1', 'x'].join(
      '\n',
    ),
  )
  await git(`${commits.join('\n')}\n`, 'fast-import', '--quiet')
  return { mirror, git }
}

test('a mirror with many packs is packed by one of two processes, without what nothing refers to for a day', async () => {
  const { mirror, git } = await mirrorOfCommits(3)
  const tip = await git('', 'rev-parse', 'refs/portico/seen/2')
  const pack = join(mirror, 'objects/pack/pack')
  const blobs: string[] = []
  for (let number = 0; number < 51; number++) {
    const blob = await git(`${number}`, 'hash-object', '-w', '--stdin')
    blobs.push(blob)
    const name = await git(`${blob}\n`, 'pack-objects', '-q', pack)
    if (number > 0) await agedBy(`${pack}-${name}.pack`, 2)
    await rm(join(mirror, 'objects', blob.slice(0, 2), blob.slice(2)))
  }
  await Promise.all([maintainMirror(mirror), maintainMirror(mirror)])
  expect((await packsOf(mirror)).length).toBeLessThanOrEqual(2)
  const asked = await git([tip, ...blobs].join('\n'), 'cat-file', '--batch-check')
  expect(asked.split('\n').map((line) => line.split(' ')[1])).toStrictEqual([
    'commit',
    'blob',
    ...blobs.slice(1).map(() => 'missing'),
  ])
})

test('a mirror with young objects that nothing refers to is packed once a day', async () => {
  const { mirror, git } = await mirrorOfCommits(3)
  // Git counts the objects in one folder of 256.
  const isCounted = (text: string) =>
    new Bun.CryptoHasher('sha1')
      .update(`blob ${text.length}\0${text}`)
      .digest('hex')
      .startsWith('17')
  const texts = Array.from({ length: 5_000 }, (_, index) => String(index)).filter(isCounted)
  for (const text of texts.slice(0, 6)) await git(text, 'hash-object', '-w', '--stdin')
  const isPacked = async (text: string, days = 0) => {
    const blob = await git(text, 'hash-object', '-w', '--stdin')
    await git('', 'update-ref', `refs/portico/${blob}`, blob)
    if (days > 0) await agedBy(join(mirror, 'portico-collected'), days)
    await maintainMirror(mirror)
    return !(await isThere(join(mirror, 'objects', blob.slice(0, 2), blob.slice(2))))
  }
  expect(await isPacked('first')).toBe(true)
  expect(await isPacked('same day')).toBe(false)
  expect(await isPacked('next day', 2)).toBe(true)
})

test.each([401, 404, 503])(
  'a hook that quotes curl about status %d refuses a push',
  async (status) => {
    await using fixture = await openGitHub()
    const { host, repository, seeded, seed } = fixture
    const reasons = [`curl: (22) The requested URL returned error: ${status}`]
    seeded.protections.set('main', { by: 'rules', reasons })
    const refused = await host.commit(repository, {
      branch: branch('main'),
      from: { kind: 'advance', expected: seed },
      changes: [write('z', 'z')],
      message: 'Change',
      author: AUTHOR,
    })
    expect(refused).toMatchObject({ ok: false, error: { kind: 'git_denied' } })
    expect(JSON.stringify(refused)).not.toContain('credentials')
  },
)

test('a fetch is nobody’s: who needs its commits first may have much else under way', async () => {
  const fetchers: (string | null)[] = []
  const away = err({ kind: 'git_host_timeout' } as const)
  const store = createMirrorStore(newDataDirectory(), {
    async connect() {
      fetchers.push(currentPerson())
      return away
    },
    head: async () => away,
    requireComplete: async () => ok(undefined),
    requireWritable: async () => ok(undefined),
    rightToWrite: '',
    authorityFile: null,
  })
  let placesGiven = 0
  for (const history of [false, true]) {
    const needs = { commits: [oid('a'.repeat(40))], history }
    const fetched = onBehalfOf(
      'hog',
      () => store.withCommits(ID, needs),
      () => (placesGiven += 1),
    )
    expect(await fetched).toStrictEqual(away)
  }
  expect([fetchers, placesGiven]).toStrictEqual([[null, null], 2])
})
