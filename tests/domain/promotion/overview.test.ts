import { expect, test } from 'bun:test'
import { loadSnapshot } from '#src/lib/domain/catalog/load.ts'
import type { Snapshot } from '#src/lib/domain/catalog/snapshot.ts'
import type { Requester } from '#src/lib/domain/gitops/requesters.ts'
import { createAppsReader } from '#src/lib/domain/promotion/overview/apps-reader.ts'
import { createOverviews } from '#src/lib/domain/promotion/overview/overview.ts'
import { BranchName, ObjectId } from '#src/lib/names.ts'
import type { PullRequest, PullRequestFilter } from '#src/lib/ports/git-host.ts'
import { err, ok } from '#src/lib/result.ts'
import { path, value } from '#tests/contracts/git-host.ts'
import { createRepository, type Files, sourceOf } from '#tests/domain/catalog/repository.ts'
import { applicationFiles } from '#tests/support/application.ts'
import { pipelineOf } from '#tests/support/pipeline.ts'

const MAIN = BranchName.of('main')

function filesOf(app: string, overlays: readonly string[] = []): Files {
  const decoder = new TextDecoder()
  const texts = Object.entries(applicationFiles({ app })).map(([name, text]) => [
    name,
    typeof text === 'string' ? text : decoder.decode(text),
  ])
  const added = overlays.map((environment) => [
    `apps/payments/${app}/overlays/${environment}/kustomization.yaml`,
    'resources: [../../base]\n',
  ])
  return Object.fromEntries([...texts, ...added]) as Files
}

const pull = (number: number, move: string, state: PullRequest['state']): PullRequest => ({
  number,
  title: `Pull request ${number}`,
  body: `Portico-Move: ${move}`,
  url: `https://git.example/${number}`,
  state,
  head: { branch: BranchName.of(move), commit: ObjectId.of('a'.repeat(40)) },
  base: MAIN,
  mergeable: 'unknown',
  createdBy: 'bot',
  createdAt: number,
  closedAt: state === 'open' ? null : number + 1,
  mergedBy: null,
  mergeCommit: null,
})

/** A view of a repository in memory. `listed`: the states of pull requests that were asked for. */
function open(files: Files) {
  const repository = createRepository(files)
  const pipeline = pipelineOf()
  const time = { now: 1_000_000 }
  const world = {
    pulls: [] as PullRequest[],
    requesters: new Map<number, Requester>(),
    listed: [] as (string | undefined)[],
    leftOut: new Map() as Snapshot['leftOut'],
    loads: 0,
  }
  let loaded: Snapshot | undefined
  const overviews = createOverviews({
    gitHost: {
      head: repository.gitHost.head,
      async findPullRequests(_, filter: PullRequestFilter) {
        const state = 'state' in filter ? filter.state : undefined
        world.listed.push(state)
        return ok(world.pulls.filter((each) => each.state === state))
      },
    },
    catalog: {
      async atHead() {
        world.loads += 1
        loaded = value(await loadSnapshot(sourceOf(repository), loaded))
        return ok({ branch: MAIN, snapshot: { ...loaded, leftOut: world.leftOut } })
      },
    },
    apps: createAppsReader(
      { ...repository.gitHost, listChanges: async () => err({ kind: 'git_host_timeout' }) },
      repository.id,
      pipeline,
    ),
    requesters: { of: async () => world.requesters },
    repository: repository.id,
    pipeline,
    clock: { now: () => time.now },
    ttlSeconds: 300,
    maxStaleSeconds: 0,
  })
  async function read() {
    const found = await overviews.read()
    if (!found.ok) throw new Error(found.error.kind)
    return found.value.value
  }
  return { repository, time, world, overviews, read }
}

test('the revision changes with every row and move, and with nothing else', async () => {
  const { repository, world, overviews, read } = open(filesOf('shop'))
  const revisions = [(await read()).revision]
  const after = async (change: () => void) => {
    change()
    overviews.invalidate()
    revisions.push((await read()).revision)
  }
  await after(() => repository.commit(filesOf('shop', ['dev'])))
  await after(() => world.pulls.push(pull(1, 'promote/payments/shop/staging', 'open')))
  await after(() => world.requesters.set(1, { subject: 'dev', name: 'Dana' }))
  await after(() => {
    world.pulls = [{ ...pull(1, 'promote/payments/shop/staging', 'open'), title: 'Another' }]
  })
  expect(new Set(revisions).size).toBe(5)
  const last = revisions.at(-1) ?? ''
  await after(() => repository.commit({ ...filesOf('shop', ['dev']), 'README.md': 'Read' }))
  await after(() => world.pulls.push({ ...pull(2, 'topic', 'open'), body: 'By hand' }))
  expect(revisions.slice(-2)).toStrictEqual([last, last])
})

test('a row without a change is the same object', async () => {
  const both = { ...filesOf('shop'), ...filesOf('till') }
  const { repository, overviews, read } = open(both)
  const before = await read()
  repository.commit({ ...both, ...filesOf('shop', ['dev']) })
  overviews.invalidate()
  const { rows } = await read()
  const isSame = rows.map((row, index) => `${row.app} ${row === before.rows[index]}`)
  expect(isSame).toStrictEqual(['shop false', 'till true'])
})

test('merged pull requests are asked for once for each overlay that waits', async () => {
  const { repository, world, overviews, read } = open(filesOf('shop', ['dev']))
  world.pulls = [pull(1, 'promote/payments/shop/dev', 'merged')]
  const [move] = (await read()).moves
  expect([move?.waitsFor, move?.pull?.number, move?.since]).toStrictEqual(['confirm', 1, 2])
  const again = async () => {
    world.listed.length = 0
    overviews.invalidate()
    await read()
    return world.listed
  }
  expect(await again()).toStrictEqual(['open'])
  repository.commit({ ...filesOf('shop', ['dev']), ...filesOf('till', ['dev']) })
  expect(await again()).toStrictEqual(['open', 'merged'])
  expect(await again()).toStrictEqual(['open'])
})

test('a view is read ahead after an invalidation, if somebody asked for it lately', async () => {
  const { time, world, overviews, read } = open(filesOf('shop'))
  overviews.invalidate()
  expect(world.loads).toBe(0)
  await read()
  overviews.invalidate()
  expect(world.loads).toBe(2)
  await read()
  time.now += 11 * 60_000
  overviews.invalidate()
  expect(world.loads).toBe(2)
})

test('a view of a catalog that is still being read is loaded again at once', async () => {
  const { world, overviews, read } = open(filesOf('shop'))
  world.leftOut = new Map([[path('catalog/x.yaml'), 'file_pending']])
  await read()
  world.leftOut = new Map()
  await read()
  expect(world.loads).toBe(2)
  await overviews.problems()
  await read()
  expect(world.loads).toBe(2)
})

test.each([
  // Files that are no team's: folders of teams with missing files are named.
  ['apps', ['shop', 'till']],
  ['apps/payments', []],
  ['apps/payments/shop', ['till']],
  ['apps/payments/shop/overlays', ['till']],
  ['apps/shipping', ['shop', 'till']],
])('applications below %p, of which files are missing, have no row', async (rawPath, apps) => {
  const { repository, overviews, read } = open({ ...filesOf('shop'), ...filesOf('till') })
  repository.skipped.push({ rawPath, reason: 'too_many_files' })
  expect((await read()).rows.map(({ app }) => String(app))).toStrictEqual(apps)
  expect(await overviews.problems()).toMatchObject([{ path: rawPath, code: 'files_too_many' }])
})
