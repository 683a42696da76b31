import { expect, test } from 'bun:test'
import { openDatabase } from '#src/lib/adapters/database/index.ts'
import { createFileSecretStore } from '#src/lib/adapters/secret-store/file/index.ts'
import { createAudit } from '#src/lib/domain/audit/audit.ts'
import { createCatalog } from '#src/lib/domain/catalog/catalog.ts'
import { createCatalogParser } from '#src/lib/domain/catalog/parser.ts'
import { createAskers } from '#src/lib/domain/gitops/askers.ts'
import { createAppsReader } from '#src/lib/domain/promotion/overview/apps-reader.ts'
import { createPromotion } from '#src/lib/domain/promotion/promotion.ts'
import { EnvironmentName, RepositoryPath } from '#src/lib/names.ts'
import { systemClock as clock } from '#src/lib/ports/clock.ts'
import { SERVICE } from '#src/lib/ports/secret-store.ts'
import { ok } from '#src/lib/result.ts'
import { type GitHubFixture, openGitHub } from '#tests/adapters/git-host/github/open-github.ts'
import { ANN, ended, openScaffold } from '#tests/domain/scaffold/open-scaffold.ts'
import { commitFiles } from '#tests/peers/forge/commit-files.ts'
import { applicationFiles } from '#tests/support/application.ts'
import { ephemeralKeyring } from '#tests/support/ephemeral-keyring.ts'
import { pipelineOf } from '#tests/support/pipeline.ts'

/** Names of the requests to the API while something runs. */
async function requestsOf(
  { github }: GitHubFixture,
  run: () => Promise<unknown>,
): Promise<readonly string[]> {
  const before = github.arrivals.length
  expect(await run()).toMatchObject({ ok: true })
  return github.arrivals.slice(before).map(({ name }) => name)
}

async function openPromotion({ host, repository, seeded }: GitHubFixture) {
  const files = Object.entries(applicationFiles()).map(([path, content]) => ({
    path,
    bytes: typeof content === 'string' ? new TextEncoder().encode(content) : content,
  }))
  await commitFiles(seeded, 'main', files)
  const database = await openDatabase('sqlite::memory:')
  if (!database.ok) throw new Error(database.error.reason)
  const pipeline = pipelineOf()
  const parser = createCatalogParser({ lifecycles: pipeline.lifecycles })
  const keyring = ephemeralKeyring()
  const catalog = createCatalog({
    gitHost: host,
    repository,
    directory: RepositoryPath.of('catalog'),
    parser,
    kept: { recall: async () => new Map(), remember: () => undefined },
    clock,
    ttlSeconds: 300,
    maxStaleSeconds: 0,
  })
  const promotion = createPromotion({
    gitHost: host,
    secretStore: createFileSecretStore({ directory: '/nonexistent', keyring }),
    repository,
    catalog: { ...catalog, invalidate: () => Promise.reject(new Error('the test is wrong')) },
    apps: createAppsReader(host, repository, pipeline),
    audit: createAudit({ store: database.value.audit, clock, log: () => {} }),
    secretWrites: database.value.secretWrites,
    digestKeyring: keyring,
    proposals: database.value.proposals,
    moves: { invalidate: async () => undefined },
    askers: createAskers({ store: database.value.askers, repository, clock }),
    log: () => {},
    clock,
    platformGroup: 'platform-team',
    pipeline,
  })
  const shop = { principal: ANN, requestId: 'r', address: null, kind: 'component', name: 'shop' }
  const promote = (overlayConfig: object) => {
    const request = promotion.parsePromotion({ targetLifecycle: 'development', overlayConfig })
    if (!request.ok) throw new Error('the request is wrong')
    return promotion.promote(shop, request.value, async () => ok({ actor: SERVICE }))
  }
  return {
    state: () => promotion.state(shop),
    history: () =>
      promotion.history(shop, { environment: EnvironmentName.of('dev'), before: null, limit: 20 }),
    promote: () => promote({}),
    configure: promote,
    async [Symbol.asyncDispose]() {
      parser.close()
      await database.value.close()
    },
  }
}

test('a promotion makes eight requests to GitHub at most, whatever was before it', async () => {
  await using fixture = await openGitHub()
  await using promotion = await openPromotion(fixture)
  await promotion.state()
  const commit = ['git/create-tree', 'git/create-commit', 'git/create-ref']
  const reads = ['git/get-ref', 'pulls/list', 'git/list-matching-refs']
  expect(await requestsOf(fixture, promotion.promote)).toStrictEqual([
    ...reads,
    'git/list-matching-refs',
    ...commit,
    'pulls/create',
  ])
  await fixture.closePullRequest(1)
  expect(await requestsOf(fixture, promotion.promote)).toStrictEqual([
    ...reads,
    'pulls/list',
    ...commit,
    'pulls/create',
  ])
})

test('a state makes two requests to GitHub, and two where a promotion may have been closed', async () => {
  await using fixture = await openGitHub()
  await using promotion = await openPromotion(fixture)
  await promotion.state()
  const always = ['git/get-ref', 'pulls/list']
  expect(await requestsOf(fixture, promotion.state)).toStrictEqual([
    ...always,
    'git/list-matching-refs',
    'pulls/list',
  ])
  await promotion.promote()
  // What the pull request proposes is read once.
  expect(await requestsOf(fixture, promotion.state)).toStrictEqual([
    ...always,
    'pulls/get',
    'repos/get-content',
    'git/get-tree',
    'git/get-blob',
    'git/get-blob',
  ])
  // GitHub tells of conflicts only for a single pull request.
  expect(await requestsOf(fixture, promotion.state)).toStrictEqual([...always, 'pulls/get'])
  await fixture.mergePullRequest(1)
  await promotion.state()
  expect(await requestsOf(fixture, promotion.state)).toStrictEqual(always)
})

const HISTORY = [
  'repos/list-commits',
  'repos/list-pull-requests-associated-with-commit',
  'pulls/get',
]
const historyRequests = async (...args: Parameters<typeof requestsOf>) =>
  (await requestsOf(...args)).filter((name) => HISTORY.includes(name))

test('what is deployed takes three requests for a change, and one for any other push', async () => {
  await using fixture = await openGitHub()
  await using promotion = await openPromotion(fixture)
  await promotion.promote()
  await fixture.mergePullRequest(1)
  expect(await historyRequests(fixture, promotion.state)).toStrictEqual(HISTORY)
  expect(await historyRequests(fixture, promotion.state)).toStrictEqual([])
  await commitFiles(fixture.seeded, 'main', [{ path: 'x', bytes: new Uint8Array() }])
  expect(await historyRequests(fixture, promotion.state)).toStrictEqual(['repos/list-commits'])
  expect(await historyRequests(fixture, promotion.history)).toStrictEqual([])
})

test('a history takes two requests and an overlay for each change, once', async () => {
  await using fixture = await openGitHub()
  await using promotion = await openPromotion(fixture)
  await promotion.promote()
  await fixture.mergePullRequest(1)
  expect(await historyRequests(fixture, promotion.history)).toStrictEqual(HISTORY)
  expect(await requestsOf(fixture, promotion.history)).toStrictEqual(['git/get-ref'])
  expect(await promotion.history()).toMatchObject({
    ok: true,
    value: {
      rows: [{ kind: 'promotion', askedBy: { subject: ANN.subject }, pull: { number: 1 } }],
      next: null,
    },
  })
})

test.each(['merge', 'squash', 'rebase'] as const)(
  'a pull request of two commits is one change, after a %s too',
  async (method) => {
    await using fixture = await openGitHub()
    await using promotion = await openPromotion(fixture)
    await promotion.promote()
    await promotion.configure({ replicas: 2 })
    await promotion.configure({ replicas: 3, image: { tag: '1.0.0' } })
    await fixture.merge(1, method)
    const head = await fixture.host.head(fixture.repository)
    expect(await promotion.history()).toMatchObject({
      ok: true,
      value: {
        rows: [
          {
            kind: 'promotion',
            commit: head.ok && head.value.commit,
            image: { tag: '1.0.0' },
            previousImage: null,
            pull: { number: 1 },
          },
        ],
      },
    })
  },
)

test('a run makes twelve requests to GitHub at most', async () => {
  await using fixture = await openGitHub()
  await using scaffold = await openScaffold({ otherHost: fixture.host })
  const id = await scaffold.submit()
  const run = async () => {
    scaffold.scaffold.start()
    return { ok: (await ended(scaffold, id))?.event === 'done' }
  }
  expect(await requestsOf(fixture, run)).toStrictEqual([
    'repos/create-in-org',
    'git/create-tree',
    'git/create-commit',
    'git/update-ref',
    'repos/update',
    // Whether the files are there.
    'git/get-ref',
    'git/get-tree',
    // The proposal.
    'git/get-ref',
    'git/create-tree',
    'git/create-commit',
    'git/create-ref',
    'pulls/create',
  ])
})
