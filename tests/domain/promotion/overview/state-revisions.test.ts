import { expect, test } from 'bun:test'
import type { CatalogHead } from '#src/lib/domain/catalog/catalog.ts'
import { appPath } from '#src/lib/domain/gitops/application.ts'
import { proposedMoveOf, trailerOf } from '#src/lib/domain/promotion/move.ts'
import type { AppsAtCommit } from '#src/lib/domain/promotion/overview/apps-reader.ts'
import { createPromotionRevisions } from '#src/lib/domain/promotion/overview/state-revisions.ts'
import { AppName, BranchName, ObjectId, TeamName } from '#src/lib/names.ts'
import type { PullRequest } from '#src/lib/ports/git-host.ts'
import { pipelineOf } from '#tests/support/pipeline.ts'
import { GITOPS } from '#tests/support/portal.ts'

const oid = (digit: string) => ObjectId.of(digit.repeat(40))
const TEAM = TeamName.of('payments')

function pullOf(app: string, change: Partial<PullRequest> = {}): PullRequest {
  const move = { team: TEAM, app: AppName.of(app), act: 'promote', environment: 'staging' } as const
  return {
    number: 7,
    title: 'Promote',
    body: trailerOf(move),
    url: 'https://git.example/7',
    state: 'open',
    head: { branch: BranchName.of(`promote/payments/${app}/staging`), commit: oid('7') },
    base: BranchName.of('main'),
    mergeable: 'unknown',
    createdBy: 'portico',
    createdAt: 0,
    closedAt: null,
    mergeCommit: null,
    mergedBy: null,
    ...change,
  }
}

interface Facts {
  readonly commit?: string
  readonly card?: object
  readonly folder?: string
  readonly otherFolder?: string
  readonly pulls?: readonly PullRequest[]
  readonly cut?: readonly string[]
  readonly ambiguous?: boolean
  readonly removed?: boolean
  readonly overview?: string
}

/** The revisions of a repository with the component `shop`. */
function revisions({ commit = '1', ...facts }: Facts = {}) {
  const card = { kind: 'Component', name: 'shop', owner: 'group:acme/payments', ...facts.card }
  const entity = { card: { lifecycle: 'development', ...card }, path: 'catalog/shop.yaml' }
  const snapshot = {
    commit: oid(commit),
    byRef: new Map(facts.removed === true ? [] : [['component/shop', entity]]),
    ambiguous: new Set(facts.ambiguous === true ? ['component/shop'] : []),
  } as unknown as CatalogHead['snapshot']
  const apps = {
    commit: oid(commit),
    tree: oid(commit),
    folders: new Map([
      ['apps/payments/shop', { version: facts.folder ?? 'a' }],
      ['apps/payments/cart', { version: facts.otherFolder ?? 'a' }],
    ]),
    claims: [],
    cut: facts.cut ?? [],
  } as unknown as AppsAtCommit
  const revisionsOf = createPromotionRevisions(GITOPS, pipelineOf())
  const moves = (facts.pulls ?? []).flatMap((pull) => proposedMoveOf(pull, pipelineOf()) ?? [])
  const byFolder = Map.groupBy(moves, ({ team, app }): string => appPath(team, app))
  const movesOf = new Map(
    [...byFolder].map(([path, moves]) => [path, { moves, entity: null, row: null }]),
  )
  const told = revisionsOf({ snapshot, apps, movesOf, revision: facts.overview ?? 'o' })
  return { all: told.revision, own: told.of('component/shop') }
}

test.each([
  ['its files', {}, { folder: 'b' }],
  ['its lifecycle', {}, { card: { lifecycle: 'staging' } }],
  ['its owner', {}, { card: { owner: 'group:acme/shipping' } }],
  ['a pull request that opens', {}, { pulls: [pullOf('shop')] }],
  [
    'a commit on its pull request',
    { pulls: [pullOf('shop')] },
    {
      pulls: [
        pullOf('shop', {
          head: { branch: BranchName.of('promote/payments/shop/staging'), commit: oid('8') },
        }),
      ],
    },
  ],
  [
    'another title of it',
    { pulls: [pullOf('shop')] },
    { pulls: [pullOf('shop', { title: 'Hold' })] },
  ],
  ['a second entity of its name', {}, { ambiguous: true }],
  ['its removal', {}, { removed: true }],
  [
    'a push, where its folder is not read whole',
    { cut: ['apps/payments/shop'] },
    { cut: ['apps/payments/shop'], commit: '2' },
  ],
  [
    'a push, where those of its team are not',
    { cut: ['apps/payments'] },
    { cut: ['apps/payments'], commit: '2' },
  ],
])('an application has another revision after %s', (_, before, after) => {
  const [one, other] = [revisions(before), revisions(after)]
  expect(other.own).not.toBe(one.own)
})

test.each([
  ['a push of other files', { commit: '2' }],
  ['another row of the overview', { overview: 'p' }],
  ['other files of another application', { commit: '2', otherFolder: 'b' }],
  ['a pull request of another application', { pulls: [pullOf('cart')] }],
  ['the folder of another team that is not read whole', { commit: '2', cut: ['apps/shipping'] }],
])('an application has the same revision after %s', (_, after) => {
  const [one, other] = [revisions(), revisions(after)]
  expect(other.own).toBe(one.own)
  expect(other.all).not.toBe(one.all)
})

test('a pull request of somebody else changes no revision', () => {
  const pulls = [pullOf('shop', { body: 'Promote shop' })]
  expect(revisions({ pulls })).toStrictEqual(revisions())
})
