import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { err, ok } from '#src/lib/result.ts'
import { applicationFiles } from '#tests/support/application.ts'
import { openPull } from '#tests/support/commit-files.ts'
import {
  GITOPS,
  openPortal,
  type Person,
  type TestPortal,
  WEBHOOK_TOKEN,
} from '#tests/support/portal.ts'
import { ask, commitAs, confirm, promote, pullOf } from '#tests/support/promotion.ts'
import { outcomeOf } from '#tests/support/outcome.ts'
import { shared } from '#tests/support/shared.ts'

const ROWS = '/api/v1/environments'
const MOVES = '/api/v1/promotions'

interface Row {
  readonly entity: { readonly kind: string; readonly name: string; readonly title: string | null }
  readonly team: string
  readonly app: string
  readonly lifecycle: string
  readonly environments: readonly {
    readonly name: string
    readonly state: string
    readonly image: { readonly tag: string | null; readonly digest: string | null } | null
    readonly pullRequest: number | null
    readonly behind: string | null
  }[]
}

interface Move {
  readonly kind: string
  readonly waitsFor: string
  readonly entity: Row['entity'] | null
  readonly team: string
  readonly app: string
  readonly environment: string | null
  readonly targetLifecycle: string | null
  readonly pullRequest: { readonly number: number; readonly state: string } | null
  readonly askedBy: { readonly subject: string | null; readonly name: string } | null
  readonly since: string | null
  readonly canConfirm: boolean
  readonly requires: readonly string[]
}

interface Listed<Item = Row> {
  readonly response: Response
  readonly items: readonly Item[]
}

async function listOf<Item = Row>(
  portal: TestPortal,
  path: string,
  as: Person = 'dev',
): Promise<Listed<Item>> {
  const response = await portal.request(path, { as })
  const items = (await response.json()) as readonly Item[]
  return { response, items }
}

const rowsOf = async (portal: TestPortal, query = '', as: Person = 'dev') =>
  (await listOf(portal, `${ROWS}${query}`, as)).items
const movesOf = async (portal: TestPortal, query = '', as: Person = 'dev') =>
  (await listOf<Move>(portal, `${MOVES}${query}`, as)).items

const appsOf = (items: readonly { readonly team: string; readonly app: string }[]) =>
  items.map(({ team, app }) => `${team}/${app}`)
const told = (moves: readonly Move[]) =>
  moves.map(({ kind, waitsFor, app, environment, pullRequest }) =>
    [kind, waitsFor, app, environment, pullRequest?.number ?? null].join(' '),
  )

/** As the git host calls after a push. */
const refresh = (portal: TestPortal) =>
  portal.request('/api/v1/webhooks/catalog/refresh', {
    method: 'POST',
    headers: { authorization: `Bearer ${WEBHOOK_TOKEN}` },
  })

/** The row of an entity, as its promotion state has it. */
async function expectedRow(portal: TestPortal, { entity }: Row): Promise<object> {
  const path = `/api/v1/catalog/entities/${entity.kind}/${entity.name}/promotion`
  const body = (await (await portal.request(path, { as: 'dev' })).json()) as Row
  return {
    team: body.team,
    app: body.app,
    lifecycle: body.lifecycle,
    environments: body.environments.map(({ name, state, image, pullRequest }) => ({
      name,
      state: state === 'pr_closed' ? 'none' : state,
      image: image && { tag: image.tag, digest: image.digest },
      pullRequest: state === 'pr_closed' ? null : pullRequest,
    })),
  }
}

const withoutBehind = ({ team, app, lifecycle, environments }: Row): object => ({
  team,
  app,
  lifecycle,
  environments: environments.map(({ name, state, image, pullRequest }) => ({
    name,
    state,
    image,
    pullRequest,
  })),
})

async function expectAgreement(portal: TestPortal): Promise<readonly Row[]> {
  const rows = await rowsOf(portal)
  expect(rows.length).toBeGreaterThan(0)
  for (const row of rows) expect(withoutBehind(row)).toStrictEqual(await expectedRow(portal, row))
  return rows
}

const overlay = (app: string, folder: string, tag: string, team = 'payments') => ({
  [`apps/${team}/${app}/overlays/${folder}/kustomization.yaml`]: `resources: [../../base]\nimages:\n  - name: ghcr.io/acme/${app}\n    newTag: ${tag}\n`,
})

describe('the life of an application', () => {
  const portal = shared(() => openPortal({ files: applicationFiles() }))

  const dev = (rows: readonly Row[]) => rows[0]?.environments[0]

  test('begins without environments and moves', async () => {
    const [row] = await expectAgreement(portal())
    expect(row).toMatchObject({
      entity: { kind: 'Component', name: 'shop', title: null },
      team: 'payments',
      app: 'shop',
      lifecycle: 'experimental',
    })
    expect(await movesOf(portal())).toStrictEqual([])
  })

  test('has an open promotion at once', async () => {
    await rowsOf(portal())
    const number = pullOf(
      await promote(portal(), 'development', { image: { tag: '1' } }, 'dev'),
    ).number
    expect(dev(await expectAgreement(portal()))).toMatchObject({
      state: 'pr_open',
      pullRequest: number,
    })
    expect(await movesOf(portal())).toMatchObject([
      {
        kind: 'promotion',
        waitsFor: 'review',
        entity: { kind: 'Component', name: 'shop' },
        environment: 'dev',
        targetLifecycle: 'development',
        pullRequest: { number, state: 'open' },
        askedBy: { subject: 'dev', name: 'dev' },
        since: expect.stringMatching(/^20.*Z$/),
        canConfirm: false,
        requires: [],
      },
    ])
  })

  test('waits for a confirmation by those who may give it', async () => {
    await portal().merge(1)
    await refresh(portal())
    expect(dev(await expectAgreement(portal()))).toMatchObject({ state: 'ready_to_confirm' })
    expect(told(await movesOf(portal()))).toStrictEqual(['promotion confirm shop dev 1'])
    const people = ['dev', 'manager', 'platform', 'outsider'] as const
    const may = await Promise.all(
      people.map(async (as) => [as, (await movesOf(portal(), '', as))[0]?.canConfirm]),
    )
    expect(may).toStrictEqual([
      ['dev', true],
      ['manager', true],
      ['platform', true],
      ['outsider', false],
    ])
    expect((await movesOf(portal()))[0]?.requires).toStrictEqual([
      'platform-team',
      'payments:Managers',
      'payments',
    ])
  })

  test('waits for review while a pull request changes its lifecycle', async () => {
    const host = { ...portal().git }
    let isProtected = true
    portal().git.commit = async (repository, request) =>
      isProtected && request.from.kind === 'advance' && request.branch === 'main'
        ? err({ kind: 'git_denied', what: 'main is protected' })
        : host.commit(repository, request)
    expect((await confirm(portal(), 'dev')).status).toBe(202)
    isProtected = false
    expect(told(await movesOf(portal()))).toStrictEqual(['lifecycle review shop dev 2'])
    await portal().merge(2)
    await refresh(portal())
    expect(dev(await expectAgreement(portal()))).toMatchObject({ state: 'live' })
    expect(await movesOf(portal())).toStrictEqual([])
  })

  test('goes on with releases', async () => {
    await promote(portal(), 'development', { image: { tag: '2' } }, 'dev')
    expect(dev(await expectAgreement(portal()))).toMatchObject({
      state: 'live',
      image: { tag: '1', digest: null },
      pullRequest: 3,
    })
    expect(told(await movesOf(portal()))).toStrictEqual(['release review shop dev 3'])
    await portal().closePull(3)
    await refresh(portal())
    expect(dev(await expectAgreement(portal()))).toMatchObject({ state: 'live', pullRequest: null })
  })

  test('shows no pull request that was closed', async () => {
    await promote(portal(), 'staging', { image: { tag: '1' } })
    expect(told(await movesOf(portal()))).toStrictEqual(['promotion review shop staging 4'])
    await portal().closePull(4)
    await refresh(portal())
    expect((await expectAgreement(portal()))[0]?.environments[1]).toMatchObject({ state: 'none' })
    expect(await movesOf(portal())).toStrictEqual([])
  })

  test('ends with a deprecation', async () => {
    await promote(portal(), 'deprecated')
    expect(await movesOf(portal())).toMatchObject([
      { kind: 'deprecation', environment: null, targetLifecycle: 'deprecated', canConfirm: false },
    ])
    await portal().merge(5)
    await refresh(portal())
    expect((await expectAgreement(portal()))[0]).toMatchObject({ lifecycle: 'deprecated' })
  })
})

test('a scaffold is a move without an entity, and other pull requests are none', async () => {
  await using portal = await openPortal({ files: applicationFiles() })
  const open = async (branch: string, body: string) => {
    await commitAs(portal, branch, { [`notes/${branch.replaceAll('/', '-')}.txt`]: branch })
    await openPull(portal.git, GITOPS, { branch, body })
  }
  await open('scaffold/payments/fresh', `Adds it\n\nPortico-Run: ${Bun.randomUUIDv7()}\n`)
  await open('feature/x', 'By hand')
  expect(await movesOf(portal)).toMatchObject([
    {
      kind: 'scaffold',
      waitsFor: 'review',
      entity: null,
      team: 'payments',
      app: 'fresh',
      environment: null,
      targetLifecycle: null,
      askedBy: { subject: null, name: 'Ann' },
      canConfirm: false,
    },
  ])
})

describe('among many applications', () => {
  let portal: TestPortal
  beforeAll(async () => {
    const api = `apiVersion: portico/v1\nkind: API\nmetadata:\n  name: shop\n  title: The shop\nspec:\n  lifecycle: production\n  owner: group:acme/payments\n  system: Checkout\n`
    portal = await openPortal({
      files: {
        ...applicationFiles({ lifecycle: 'production' }),
        ...overlay('shop', 'dev', '3'),
        ...overlay('shop', 'staging', '2'),
        ...overlay('shop', 'prod', '2'),
        'catalog/payments/apis/shop.yaml': api,
        ...applicationFiles({ app: 'till', lifecycle: 'development' }),
        ...overlay('till', 'dev', '1'),
        ...overlay('till', 'staging', '1'),
        ...applicationFiles({ app: 'parcels', team: 'shipping' }),
        ...overlay('parcels', 'dev', '1', 'shipping'),
        // Without an application, twice, and without an owner that is a team.
        'catalog/payments/components/idle.yaml': api.replaceAll('shop', 'idle'),
        ...applicationFiles({ app: 'twin' }),
        'catalog/payments/twin.yaml': api.replace('API', 'Component').replace('shop', 'twin'),
        ...applicationFiles({ app: 'stray', owner: 'stray' }),
      },
    })
  })
  afterAll(() => portal[Symbol.asyncDispose]())

  test('each entity has a row that agrees with its state', async () => {
    const rows = await expectAgreement(portal)
    expect(rows.map(({ entity }) => `${entity.kind}/${entity.name}`)).toStrictEqual([
      'API/shop',
      'Component/parcels',
      'Component/shop',
      'Component/till',
    ])
    expect(rows[0]?.entity.title).toBe('The shop')
    expect(rows[2]?.environments.map(({ behind }) => behind)).toStrictEqual([null, 'dev', null])
  })

  test('are read at one commit, and served again without the git host', async () => {
    const { response } = await listOf(portal, ROWS)
    const head = await portal.git.head(GITOPS)
    expect(response.headers.get('x-catalog-revision')).toBe(head.ok ? head.value.commit : '')
    portal.git.calls.length = 0
    await rowsOf(portal, '?team=payments')
    await movesOf(portal)
    expect(portal.git.calls).toStrictEqual([])
  })

  test.each([
    ['', ['payments/shop', 'shipping/parcels', 'payments/shop', 'payments/till']],
    ['?team=shipping', ['shipping/parcels']],
    ['?team=shipping,payments&system=checkout', ['payments/shop']],
    ['?team=nobody', []],
    ['?system=CHECKOUT', ['payments/shop']],
    ['?mine=true', ['payments/shop', 'payments/shop', 'payments/till']],
    ['?mine=true&team=shipping', []],
    ['?mine=false&limit=1&offset=1', ['shipping/parcels']],
    ['?offset=9', []],
    ['?entity=API/Shop&entity=component/TILL', ['payments/shop', 'payments/till']],
    ['?entity=component/till,api/shop,component/till', ['payments/shop', 'payments/till']],
    ['?entity=parcels&entity=component/idle', ['shipping/parcels']],
    ['?entity=parcels,till&mine=true', ['payments/till']],
    ['?entity=component/shop&system=checkout', []],
    ['?entity=component/nobody', []],
    ['?entity=', ['payments/shop', 'shipping/parcels', 'payments/shop', 'payments/till']],
  ])('%p selects rows', async (query, expected) => {
    expect(appsOf(await rowsOf(portal, query))).toStrictEqual(expected)
  })

  test.each([
    ['', ['payments/till', 'shipping/parcels']],
    ['?team=shipping', ['shipping/parcels']],
    ['?mine=true', ['payments/till']],
    ['?waitsFor=review', []],
    ['?waitsFor=confirm&limit=1', ['payments/till']],
  ])('%p selects moves, which came past the portal', async (query, expected) => {
    const moves = await movesOf(portal, query)
    expect(appsOf(moves)).toStrictEqual(expected)
    for (const move of moves) {
      expect(move).toMatchObject({ pullRequest: null, askedBy: null, since: null })
    }
  })

  test.each([
    [ROWS, 'limit=0', '/query/limit'],
    [ROWS, 'limit=1001', '/query/limit'],
    [ROWS, 'offset=-1', '/query/offset'],
    [ROWS, 'mine=maybe', '/query/mine'],
    [ROWS, `team=${'x'.repeat(201)}`, '/query/team/0'],
    [ROWS, `system=${'a,'.repeat(51)}`, '/query/system'],
    [ROWS, `entity=${'a,'.repeat(100)}a`, '/query/entity'],
    [ROWS, 'entity=component/till&entity=component/', '/query/entity/1'],
    [ROWS, 'entity=a/b/c', '/query/entity/0'],
    [MOVES, 'waitsFor=godot', '/query/waitsFor'],
    [MOVES, 'waitsFor=review&waitsFor=confirm', '/query/waitsFor'],
    [MOVES, 'limit=none', '/query/limit'],
    [MOVES, `team=${'a,'.repeat(51)}`, '/query/team'],
  ])('%s?%s is refused', async (path, query, place) => {
    const response = await portal.request(`${path}?${query}`, { as: 'dev' })
    expect(response.status).toBe(422)
    expect(await response.json()).toMatchObject({
      code: 'validation_failed',
      errors: [{ path: place }],
    })
  })

  test.each([
    [ROWS, 4],
    [MOVES, 2],
  ])('%s is paged by its links', async (path, total) => {
    const seen: unknown[] = []
    let next: string | undefined = `${path}?limit=1&mine=false`
    while (next !== undefined) {
      const { response, items }: Listed = await listOf(portal, next)
      expect(response.headers.get('x-total-count')).toBe(String(total))
      expect(items).toBeArrayOfSize(1)
      seen.push(...items)
      next = /^<([^>]+)>/.exec(response.headers.get('link') ?? '')?.[1]
    }
    expect(seen).toStrictEqual([...(await listOf(portal, path)).items])
  })

  test('an answer for one person is never another’s', async () => {
    for (const path of [`${ROWS}?mine=true`, MOVES]) {
      const mine = await listOf(portal, path, 'dev')
      const theirs = await listOf(portal, path, 'outsider')
      const tag = mine.response.headers.get('etag') ?? ''
      expect(theirs.items).not.toEqual(mine.items)
      expect(theirs.response.headers.get('etag')).not.toBe(tag)
      const headers = { 'if-none-match': tag }
      const status = async (as: Person) => (await portal.request(path, { as, headers })).status
      expect([await status('dev'), await status('outsider')]).toStrictEqual([304, 200])
    }
  })

  test('HEAD has the headers, and no session has nothing', async () => {
    for (const path of [ROWS, MOVES]) {
      const head = await portal.request(path, { as: 'dev', method: 'HEAD' })
      expect([head.status, head.headers.get('x-total-count'), await head.text()]).toStrictEqual([
        200,
        path === ROWS ? '4' : '2',
        '',
      ])
      expect((await portal.request(path)).status).toBe(401)
    }
  })
})

test('very many files beside the teams cost no team', async () => {
  await using portal = await openPortal({ files: applicationFiles() })
  const list = portal.git.listFiles.bind(portal.git)
  portal.git.listFiles = async (repository, at) => {
    const listed = await list(repository, at)
    if (!listed.ok || at.directory !== 'apps') return listed
    const skipped = [{ rawPath: 'apps', reason: 'too_many_files' }] as const
    return ok({ ...listed.value, skipped })
  }
  expect(appsOf(await rowsOf(portal))).toStrictEqual(['payments/shop'])
  const { items } = await listOf<{ readonly path: string }>(portal, '/api/v1/catalog/problems')
  expect(items.map(({ path }) => path)).toStrictEqual(['apps'])
})

describe('while the git host is away', () => {
  test('the last view is served as stale, and follows when the host is back', async () => {
    await using portal = await openPortal({ files: applicationFiles() })
    await rowsOf(portal)
    portal.git.failWith = 'git_host_unreachable'
    await portal.commit({ ...overlay('shop', 'dev', '7') })
    await refresh(portal)
    for (const path of [ROWS, MOVES]) {
      const { response } = await listOf(portal, path)
      expect([response.status, response.headers.get('x-catalog-stale')]).toStrictEqual([
        200,
        'true',
      ])
    }
    expect((await rowsOf(portal))[0]?.environments[0]?.state).toBe('none')
    portal.git.failWith = undefined
    await refresh(portal)
    expect((await rowsOf(portal))[0]?.environments[0]?.state).toBe('ready_to_confirm')
  })

  test('without a view there is a problem', async () => {
    await using portal = await openPortal({ files: applicationFiles() })
    portal.git.failWith = 'git_host_unreachable'
    for (const path of [ROWS, MOVES]) {
      const response = await portal.request(path, { as: 'dev' })
      expect(await outcomeOf(response)).toBe('503 git_host_unreachable')
    }
  })

  test('a listing of pull requests that fails leaves what is there', async () => {
    await using portal = await openPortal({ files: applicationFiles() })
    await ask(portal, 'POST', '', 'dev', { targetLifecycle: 'development' })
    expect(await movesOf(portal)).toBeArrayOfSize(1)
    portal.git.findPullRequests = async () => err({ kind: 'git_host_timeout' })
    await refresh(portal)
    const { response, items } = await listOf<Move>(portal, MOVES)
    expect([items.length, response.headers.get('x-catalog-stale')]).toStrictEqual([1, 'true'])
  })
})
