import { describe, expect, test } from 'bun:test'
import { err } from '#src/lib/result.ts'
import { applicationFiles } from '#tests/support/application.ts'
import { openPull } from '#tests/support/commit-files.ts'
import { noteCalls } from '#tests/support/git-calls.ts'
import { GITOPS, openPortal, type Person, type TestPortal } from '#tests/support/portal.ts'
import {
  ask,
  commitAs,
  confirm,
  fileAt,
  git,
  openShop,
  OVERLAY,
  promote,
  SHOP,
  state,
} from '#tests/support/promotion.ts'

const NAME = 'ghcr.io/acme/shop'
const image = (tag: string) => ({ name: NAME, tag, digest: null })

type Row = Readonly<Record<string, unknown>>

const historyOf = (portal: TestPortal, query = 'environment=dev', as: Person = 'dev') =>
  ask(portal, 'GET', `/history?${query}`, as)

const rowsOf = async (portal: TestPortal, query?: string): Promise<readonly Row[]> => {
  const { status, body } = await historyOf(portal, query)
  expect(status).toBe(200)
  return body as unknown as readonly Row[]
}

const kustomization = (tag: string) =>
  `resources: [../../base]\nimages: [{ name: ${NAME}, newTag: "${tag}" }]\n`

/** Folders of production, as somebody left them. */
const production = (folder: string, tag: string | null) => ({
  [`${OVERLAY}/${folder}/kustomization.yaml`]: tag === null ? null : kustomization(tag),
})

const openProduction = () => openPortal({ files: applicationFiles({ lifecycle: 'production' }) })

describe('the history of an environment', () => {
  test('promotion, release, a push past the portal, and the way back by a row', async () => {
    await using portal = await openShop()
    expect(await rowsOf(portal)).toStrictEqual([])
    await promote(portal, 'development', { image: { tag: '1.0.0' } }, 'dev')
    // An update is a second commit of the same pull request.
    await promote(portal, 'development', { replicas: 2 }, 'manager')
    expect(await rowsOf(portal)).toStrictEqual([])
    await portal.merge(1)
    await confirm(portal)
    await promote(portal, 'development', { image: { tag: '1.1.0' } }, 'manager')
    await portal.merge(2)
    const overlay = `${OVERLAY}/dev/kustomization.yaml`
    const text = await fileAt(portal, overlay)
    await commitAs(portal, 'main', { [overlay]: text.replace('newTag: 1.1.0', 'newTag: "9"') })

    const rows = await rowsOf(portal)
    expect(rows[0]?.['commit']).toBe((await git(portal, 'rev-parse', 'main')).trim())
    const merged = { at: expect.any(String), mergedBy: { subject: null, name: 'Ann' } }
    const row = { environment: 'dev', commit: expect.stringMatching(/^[0-9a-f]{40}$/), ...merged }
    const pull = (number: number) => ({ number, state: 'merged', url: expect.any(String) })
    expect(rows).toMatchObject([
      {
        ...row,
        kind: 'manual',
        image: image('9'),
        previousImage: image('1.1.0'),
        askedBy: { subject: null, name: 'E' },
        mergedBy: null,
        pullRequest: null,
      },
      {
        ...row,
        kind: 'release',
        image: image('1.1.0'),
        previousImage: image('1.0.0'),
        askedBy: { subject: 'manager', name: 'manager' },
        pullRequest: pull(2),
      },
      {
        ...row,
        kind: 'promotion',
        image: image('1.0.0'),
        previousImage: null,
        askedBy: { subject: 'dev', name: 'dev' },
        pullRequest: pull(1),
      },
    ])

    const back = await promote(portal, 'development', { image: rows[2]?.['image'] }, 'dev')
    expect(back).toMatchObject({ status: 201, body: { kind: 'release', image: { tag: '1.0.0' } } })
    await portal.merge(3)
    expect((await rowsOf(portal))[0]).toMatchObject({
      kind: 'release',
      image: image('1.0.0'),
      previousImage: image('9'),
      askedBy: { subject: 'dev' },
      pullRequest: pull(3),
    })
    expect((await state(portal)).body['imageTags']).toMatchObject({ dev: '1.0.0' })
  })

  test('of a pull request of somebody else is one row, by who opened it', async () => {
    await using portal = await openShop()
    const overlay = `${OVERLAY}/dev/kustomization.yaml`
    await commitAs(portal, 'by-hand', { [overlay]: kustomization('1') })
    await commitAs(portal, 'by-hand', { [overlay]: kustomization('2') })
    const author = { name: 'Eve', email: 'dev@acme.example' }
    await openPull(portal.git, GITOPS, { branch: 'by-hand', title: 'By hand', author })
    await portal.merge(1)
    expect(await rowsOf(portal)).toMatchObject([
      {
        kind: 'manual',
        image: image('2'),
        previousImage: null,
        askedBy: { subject: null, name: 'Eve' },
        mergedBy: { subject: null, name: 'Ann' },
        pullRequest: { number: 1, title: 'By hand' },
      },
    ])
  })

  test('goes over the folders of production, over a removal, and over files that cannot be read', async () => {
    await using portal = await openProduction()
    await portal.commit(production('prod', '1'))
    await portal.commit({ ...production('prod', null), ...production('production', '1') })
    await portal.commit({ [`${OVERLAY}/production/kustomization.yaml`]: ': [' })
    await portal.commit(production('production', '2'))
    await portal.commit(production('production', null))
    await portal.commit(production('prod', '3'))
    expect(await rowsOf(portal, 'environment=production')).toMatchObject([
      { kind: 'manual', image: image('3'), previousImage: null },
      { kind: 'manual', image: null, previousImage: image('2') },
      { kind: 'manual', image: image('2'), previousImage: null },
      { kind: 'manual', image: null, previousImage: image('1') },
      { kind: 'manual', image: image('1'), previousImage: image('1') },
      { kind: 'manual', image: image('1'), previousImage: null },
    ])
  })

  test('of a renamed application begins with its new name, with the image of that time', async () => {
    await using portal = await openPortal({ files: applicationFiles({ app: 'store' }) })
    const overlay = 'apps/payments/store/overlays/dev/kustomization.yaml'
    await portal.commit({ [overlay]: kustomization('1').replace('shop', 'store') })
    await portal.commit({
      ...applicationFiles(),
      [overlay]: null,
      [`${OVERLAY}/dev/kustomization.yaml`]: kustomization('1'),
    })
    expect(await rowsOf(portal)).toMatchObject([{ image: image('1'), previousImage: null }])
  })

  test('comes in pages, which a push between them does not move', async () => {
    await using portal = await openProduction()
    for (const tag of ['1', '2', '3', '4']) await portal.commit(production('prod', tag))
    const tagsOf = (rows: unknown) => (rows as Row[]).map((row) => (row['image'] as Row)['tag'])
    const first = await portal.request(`${SHOP}/history?environment=production&limit=3&x=y`, {
      as: 'dev',
    })
    expect(tagsOf(await first.json())).toStrictEqual(['4', '3', '2'])
    const [, next = ''] = /^<(.*)>; rel="next"$/.exec(first.headers.get('link') ?? '') ?? []
    expect(next).toMatch(/\/history\?environment=production&limit=3&before=[0-9a-f]{40}$/)
    await portal.commit(production('prod', '5'))
    const second = await portal.request(next, { as: 'dev' })
    const rows = await second.json()
    expect(tagsOf(rows)).toStrictEqual(['1'])
    expect(rows).toMatchObject([{ previousImage: null }])
    expect(second.headers.get('link')).toBeNull()
  })

  test('has a tag, and is read once per commit', async () => {
    await using portal = await openProduction()
    await portal.commit(production('prod', '1'))
    const url = `${SHOP}/history?environment=production`
    const first = await portal.request(url, { as: 'dev' })
    const etag = first.headers.get('etag') ?? ''
    const { take } = noteCalls(portal.git)
    portal.git.calls.length = 0
    const again = await portal.request(url, { as: 'dev', headers: { 'if-none-match': etag } })
    expect(again.status).toBe(304)
    expect([take(), portal.git.calls]).toStrictEqual([['head'], ['head']])
    expect((await portal.request(url, { as: 'dev', method: 'HEAD' })).status).toBe(200)
  })

  test('is read once for all who ask while another reads it', async () => {
    await using portal = await openProduction()
    await portal.commit(production('prod', '1'))
    await rowsOf(portal, 'environment=production')
    const persons = ['dev', 'manager', 'platform'] as const
    for (const person of persons) await historyOf(portal, 'environment=production', person)
    await portal.commit(production('prod', '2'))
    portal.git.calls.length = 0
    const gate = Promise.withResolvers<void>()
    const git = { ...portal.git }
    portal.git.head = async (...args) => {
      await gate.promise
      return git.head(...args)
    }
    const all = Array.from({ length: 30 }, (_, index) =>
      historyOf(portal, 'environment=production', persons[index % 3]),
    )
    // So that all have come while the first waits for the head.
    await Bun.sleep(50)
    gate.resolve()
    const statuses = (await Promise.all(all)).map(({ status }) => status)
    expect(new Set(statuses)).toStrictEqual(new Set([200]))
    // Who comes while the second is read shares the third.
    expect(portal.git.calls.filter((call) => call === 'head').length).toBeLessThan(6)
  })

  test('remains of an application whose folder is gone', async () => {
    await using portal = await openShop()
    await portal.commit(production('dev', '1'))
    const files = Object.keys(applicationFiles()).filter((name) => name.startsWith('apps/'))
    await portal.commit({
      ...production('dev', null),
      ...Object.fromEntries(files.map((name) => [name, null])),
    })
    expect(await rowsOf(portal)).toMatchObject([
      { image: null, previousImage: image('1') },
      { image: image('1') },
    ])
  })
})

describe('the promotion state says when an environment got what it has, and who asked for it', () => {
  const deployedIn = async (portal: TestPortal) => {
    const { status, body } = await state(portal)
    expect(status).toBe(200)
    const environments = body['environments'] as readonly Row[]
    return environments.map((each) => [each['deployedAt'], each['deployedBy']])
  }
  const never = [null, null]

  test('by the newest change: of the portal, and past it', async () => {
    await using portal = await openShop()
    await promote(portal, 'development', { image: { tag: '1.0.0' } }, 'dev')
    expect(await deployedIn(portal)).toStrictEqual([never, never, never])
    await portal.merge(1)
    const [first] = await rowsOf(portal)
    const promoted = [first?.['at'], { subject: 'dev', name: 'dev' }]
    expect(await deployedIn(portal)).toStrictEqual([promoted, never, never])
    await confirm(portal)
    expect(await deployedIn(portal)).toStrictEqual([promoted, never, never])

    const overlay = `${OVERLAY}/dev/kustomization.yaml`
    const text = await fileAt(portal, overlay)
    await commitAs(portal, 'main', { [overlay]: `${text}# again\n` })
    // Back to the same tree: deployed again, by somebody that only git knows.
    await commitAs(portal, 'main', { [overlay]: text })
    const [last] = await rowsOf(portal)
    expect(last).toMatchObject({ kind: 'manual' })
    const byHand = [last?.['at'], { subject: null, name: 'E' }]
    expect(await deployedIn(portal)).toStrictEqual([byHand, never, never])
  })

  test('and neither fails nor waits for a host that does not tell', async () => {
    await using portal = await openProduction()
    await portal.commit(production('prod', '1'))
    const list = portal.git.listCommits.bind(portal.git)
    portal.git.listCommits = async () => err({ kind: 'git_rate_limited', retryAfterSeconds: 9 })
    expect(await deployedIn(portal)).toStrictEqual([never, never, never])
    const answers = Promise.withResolvers<void>()
    portal.git.listCommits = async (...args) => {
      await answers.promise
      return list(...args)
    }
    expect(await deployedIn(portal)).toStrictEqual([never, never, never])
    answers.resolve()
    const told = [expect.any(String), { subject: null, name: 'Ann' }]
    expect(await deployedIn(portal)).toStrictEqual([never, never, told])
  })
})

describe('the history is refused', () => {
  test('for a query that is not one', async () => {
    await using portal = await openShop()
    // prettier-ignore
    for (const [query, path, rule] of [
      ['',                                         '/query/environment', 'required'],
      ['environment=moon',                         '/query/environment', 'one_of'],
      ['environment=dev&environment=staging',      '/query/environment', 'type'],
      ['environment=dev&limit=0',                  '/query/limit', 'minimum'],
      ['environment=dev&limit=51',                 '/query/limit', 'maximum'],
      ['environment=dev&before=HEAD',              '/query/before', 'commit'],
      [`environment=dev&before=${'a'.repeat(40)}`, '/query/before', 'cursor'],
    ] as const) {
      const { status, body } = await historyOf(portal, query)
      expect([query, status]).toStrictEqual([query, 422])
      expect(body['errors']).toMatchObject([{ path, rule }])
    }
  })

  test('for an entity that is unknown, is there twice, or belongs to no team', async () => {
    await using portal = await openPortal({
      files: {
        ...applicationFiles(),
        ...applicationFiles({ app: 'alien', owner: 'group:other/payments' }),
        ...applicationFiles({ app: 'twice' }),
        'catalog/twice.yaml': String(
          applicationFiles({ app: 'twice' })['catalog/payments/components/twice.yaml'],
        ),
      },
    })
    const of = (app: string) =>
      ask(portal, 'GET', '/history?environment=dev', 'dev', undefined, app)
    expect(await of('sho')).toMatchObject({ status: 404, body: { code: 'entity_not_found' } })
    expect(await of('twice')).toMatchObject({ status: 409, body: { code: 'entity_ambiguous' } })
    expect(await of('alien')).toMatchObject({
      status: 409,
      body: { code: 'not_promotable', reason: 'owner_foreign' },
    })
  })

  test('while the git host is down, and without a session', async () => {
    await using portal = await openShop()
    expect((await portal.request(`${SHOP}/history?environment=dev`)).status).toBe(401)
    portal.git.failWith = 'git_host_unreachable'
    expect(await historyOf(portal)).toMatchObject({
      status: 503,
      body: { code: 'git_host_unreachable' },
    })
    portal.git.failWith = undefined
    await portal.commit(production('dev', '1'))
    const whole = { ...portal.git }
    const away = () => Promise.resolve(err({ kind: 'git_host_unreachable' } as const))
    for (const call of ['listCommits', 'findMergedPullRequest', 'listFiles'] as const) {
      portal.git[call] = away
      expect((await historyOf(portal)).status).toBe(503)
      Object.assign(portal.git, whole)
    }
    expect(await rowsOf(portal)).toHaveLength(1)
  })
})
