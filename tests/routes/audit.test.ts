import { describe, expect, test } from 'bun:test'
import { type AuditEntry, createAudit, type AuditLine } from '#src/lib/domain/audit/audit.ts'
import type { AuditStore } from '#src/lib/ports/database/audit.ts'
import { openPortal, sharedPortal, type Person, type TestPortal } from '#tests/support/portal.ts'

const DAY_MS = 24 * 60 * 60_000

const ACTOR = {
  issuer: 'https://id.acme.example',
  subject: 'dev',
  name: 'Dana Developer',
  email: 'dana@acme.example',
  groups: { kind: 'known', names: ['payments'] },
} as const

const entry = (facts: Partial<AuditEntry> = {}): AuditEntry => ({
  action: 'promotion.propose',
  target: 'component/payments-api',
  team: 'payments',
  result: 'allowed',
  code: null,
  groups: ['payments'],
  revision: null,
  requestId: 'request-1',
  address: '203.0.113.7',
  details: {},
  ...facts,
})

async function record(portal: TestPortal, ...entries: readonly AuditEntry[]) {
  for (const each of entries) {
    expect(await portal.portal.audit.record(ACTOR, each)).toMatchObject({ ok: true })
  }
}

const get = (portal: TestPortal, query: string, as: Person) =>
  portal.request(`/api/v1/audit${query}`, { as })

interface Listed {
  readonly id: string
  readonly target: string
}

const listOf = async (response: Response) => (await response.json()) as Listed[]

async function targets(portal: TestPortal, query: string, as: Person) {
  const response = await get(portal, query, as)
  expect(response.status).toBe(200)
  return (await listOf(response)).map(({ target }) => target)
}

/** For requests that change nothing. */
const unchanged = sharedPortal()

describe('who sees what', () => {
  const SEEN = [entry({ target: 'a' }), entry({ target: 'b', team: 'shipping' })]
  const PLATFORM_ONLY = entry({ target: 'c', team: null })
  const portal = sharedPortal(async () => {
    const opened = await openPortal()
    await record(opened, ...SEEN, PLATFORM_ONLY)
    return opened
  })

  // prettier-ignore
  test.each<[Person, string, readonly string[] | { readonly required: readonly string[] }]>([
    ['platform', '',               ['c', 'b', 'a']],
    ['platform', '?team=payments', ['a']],
    ['platform', '?team=nobody',   []],
    ['dev',      '?team=payments', ['a']],
    ['manager',  '?team=payments', ['a']],
    ['outsider', '?team=shipping', ['b']],
    ['dev',      '',               { required: ['platform-team'] }],
    ['manager',  '',               { required: ['platform-team'] }],
    ['dev',      '?team=shipping', { required: ['platform-team', 'shipping', 'shipping:Managers'] }],
    ['outsider', '?team=payments', { required: ['platform-team', 'payments', 'payments:Managers'] }],
    ['outsider', '?team=nobody',   { required: ['platform-team', 'nobody', 'nobody:Managers'] }],
  ])('%s %p', async (person, query, expected) => {
    const response = await get(portal(), query, person)
    const body: unknown = await response.json()
    if ('required' in expected) {
      expect(response.status).toBe(403)
      expect(body).toMatchObject({ code: 'forbidden', ...expected })
    } else {
      expect(response.status).toBe(200)
      expect((body as Listed[]).map(({ target }) => target)).toStrictEqual([...expected])
    }
  })
})

describe('a record', () => {
  test('says who, what, of what, why and from where', async () => {
    await using portal = await openPortal()
    const at = portal.clock.now()
    const facts = entry({
      result: 'denied',
      code: 'forbidden',
      groups: ['payments', 'payments:Managers'],
      revision: 'f'.repeat(40),
      details: { keys: ['DATABASE_URL'], replicas: 2, reason: 'we said so' },
    })
    await record(portal, facts)
    const [body, ...more] = await listOf(await get(portal, '', 'platform'))
    expect(more).toStrictEqual([])
    const { id, at: told, ...rest } = body as Listed & { readonly at: string }
    expect(rest as object).toStrictEqual({
      actor: { subject: 'dev', name: 'Dana Developer' },
      via: null,
      ...facts,
    })
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/)
    expect(Math.abs(Date.parse(told) - at)).toBeLessThan(10_000)
  })

  test('is one log line too, without what people write themselves', async () => {
    await using portal = await openPortal()
    const facts = entry({
      result: 'done',
      details: {
        keys: ['DATABASE_URL', 'two words', '_UNDERSCORED'],
        url: 'https://git.example.org/acme/gitops/pulls/42',
        number: 42,
        reason: 'free text of a person',
        long: 'x'.repeat(201),
        nested: { deep: 'name' },
        missing: null,
        dryRun: false,
      },
    })
    await record(portal, facts)
    const lines = portal.logged.map((line) => JSON.parse(line) as { msg: string })
    const audited = lines.filter(({ msg }) => msg === 'audit')
    expect(audited).toMatchObject([
      {
        level: 30,
        recorded: true,
        actor: { issuer: ACTOR.issuer, subject: 'dev', name: 'Dana Developer' },
        ...facts,
        details: {},
      },
    ])
    expect((audited as unknown as readonly AuditLine[])[0]?.details).toStrictEqual({
      keys: ['DATABASE_URL', '_UNDERSCORED'],
      url: 'https://git.example.org/acme/gitops/pulls/42',
      number: 42,
      missing: null,
      dryRun: false,
    })
  })

  test('that cannot be written is a failure, and still a log line', async () => {
    const failure = { kind: 'database_unavailable', reason: 'SQLITE_FULL' } as const
    const refuse = () => Promise.resolve({ ok: false, error: failure } as const)
    const store: AuditStore = {
      append: refuse,
      amend: refuse,
      find: refuse,
      list: refuse,
      removeBefore: refuse,
    }
    const lines: AuditLine[] = []
    const audit = createAudit(store, { now: () => 5 }, (line) => lines.push(line))
    expect(await audit.record(ACTOR, entry())).toStrictEqual({ ok: false, error: failure })
    expect(lines).toMatchObject([{ at: 5, action: 'promotion.propose', recorded: false }])
  })

  test('is kept for 400 days', async () => {
    await using portal = await openPortal()
    await record(portal, entry({ target: 'old' }))
    portal.clock.advance(399 * DAY_MS)
    await record(portal, entry({ target: 'new' }))
    expect(await portal.portal.audit.sweep()).toStrictEqual({ ok: true, value: 0 })
    portal.clock.advance(2 * DAY_MS)
    expect(await portal.portal.audit.sweep()).toStrictEqual({ ok: true, value: 1 })
    portal.forget('platform')
    expect(await targets(portal, '', 'platform')).toStrictEqual(['new'])
  })
})

describe('filters', () => {
  test('find what was done to an entity, by a person, and of a kind', async () => {
    await using portal = await openPortal()
    await record(
      portal,
      entry({ target: 'component/shop' }),
      entry({ target: 'component/shop-api', action: 'promotion.confirm' }),
      entry({ target: 'api/shop', action: 'scaffold.start', team: 'shipping' }),
    )
    const found = (query: string) => targets(portal, query, 'platform')
    expect(await found('?entity=Component/Shop')).toStrictEqual(['component/shop'])
    expect(await found('?entity=shop')).toStrictEqual(['component/shop'])
    expect(await found('?entity=API/shop')).toStrictEqual(['api/shop'])
    expect(await found('?actor=dev&action=promotion')).toStrictEqual([
      'component/shop-api',
      'component/shop',
    ])
    expect(await found('?action=promotion.confirm')).toStrictEqual(['component/shop-api'])
    expect(await found('?without=promotion')).toStrictEqual(['api/shop'])
    expect(await found('?without=promotion.confirm&action=promotion')).toStrictEqual([
      'component/shop',
    ])
    expect(await found('?actor=nobody')).toStrictEqual([])
    expect(await targets(portal, '?team=payments&entity=api/shop', 'dev')).toStrictEqual([])
    const paged = await get(portal, '?actor=dev&limit=1', 'platform')
    expect(paged.headers.get('link')).toMatch(/actor=dev&limit=1&before=/)
  })

  test('do not open the records of others', async () => {
    for (const query of ['?actor=dev', '?entity=shop', '?action=session.sign_in']) {
      expect((await get(unchanged(), query, 'dev')).status).toBe(403)
    }
  })

  test.each([
    'entity=a/b/c',
    'entity=..',
    'actor=a%00b',
    'action=PROMOTION',
    'action=a.b.c',
    'without=*',
  ])('that cannot mean anything are refused: %s', async (query) => {
    const refused = await get(unchanged(), `?${query}`, 'platform')
    expect(await refused.json()).toMatchObject({ status: 422, code: 'validation_failed' })
  })
})

describe('pages', () => {
  const NEXT = /^<(\/api\/v1\/audit\?[^>]+)>; rel="next"$/

  test('are followed by their links to the end, and every record comes once', async () => {
    await using portal = await openPortal()
    const wanted = ['a', 'b', 'c', 'd', 'e', 'f']
    for (const target of wanted) {
      await record(portal, entry({ target }), entry({ target: 'other', team: 'shipping' }))
    }
    const pages: string[][] = []
    let next: string | undefined = '/api/v1/audit?team=payments&limit=2&unknown=1'
    while (next !== undefined) {
      const response: Response = await portal.request(next, { as: 'dev' })
      expect(response.status).toBe(200)
      pages.push((await listOf(response)).map(({ target }) => target))
      next = NEXT.exec(response.headers.get('link') ?? '')?.[1]
      expect(next ?? '').not.toContain('unknown')
      await record(portal, entry({ target: 'later' }))
    }
    expect(pages).toStrictEqual([
      ['f', 'e'],
      ['d', 'c'],
      ['b', 'a'],
    ])
  })

  test('have a hundred records without a limit, two hundred at most', async () => {
    await using portal = await openPortal()
    await record(portal, ...Array.from({ length: 201 }, () => entry()))
    expect(await targets(portal, '', 'platform')).toHaveLength(100)
    const most = await get(portal, '?limit=200', 'platform')
    expect(most.headers.get('link')).toMatch(NEXT)
    expect(await listOf(most)).toHaveLength(200)
  })

  test('without records are empty lists without a link', async () => {
    await using portal = await openPortal()
    const response = await get(portal, '', 'platform')
    expect(response.headers.get('link')).toBeNull()
    expect(await response.text()).toBe('[]')
  })
})

describe('input that is no query', () => {
  const ID = '01936b2e-7b1a-7c55-8d0e-5a3f0f6f2a11'

  test.each([
    'limit=0',
    'limit=201',
    'limit=-1',
    'limit=1.5',
    'limit=1e2',
    'limit=many',
    'limit=',
    'limit=99999999999999999999',
    'limit=1&limit=2',
    'team=',
    'team=Payments',
    'team=payments:Managers',
    `team=${'a'.repeat(41)}`,
    'team=payments&team=shipping',
    'team=%00',
    "team=' OR 1=1 --",
    'before=',
    'before=1',
    `before=${ID.toUpperCase()}`,
    `before=${ID.replace('-7c', '-4c')}`,
    `before=${ID}%0a`,
    `before=${ID}&before=${ID}`,
  ])('%p is refused, whoever asks', async (query) => {
    for (const person of ['platform', 'outsider'] as const) {
      const response = await get(unchanged(), `?${query}`, person)
      expect([query, response.status]).toStrictEqual([query, 422])
      expect(await response.json()).toMatchObject({ code: 'validation_failed' })
    }
  })

  test('an id of no record is a place in time', async () => {
    await using portal = await openPortal()
    await record(portal, entry({ target: 'a' }))
    expect(await targets(portal, `?before=${ID}`, 'platform')).toStrictEqual([])
    expect(
      await targets(portal, '?before=ffffffff-ffff-7fff-bfff-ffffffffffff', 'platform'),
    ).toStrictEqual(['a'])
  })
})
