import { describe, expect, test } from 'bun:test'
import { rolesOf } from '#src/console/pages/group/members.ts'
import {
  brokenIn,
  changeBefore,
  mendingAct,
  searchFor,
  undoable,
} from '#src/console/pages/home/causes.ts'
import {
  confirmedWords,
  confirmReason,
  inboxOf,
  type Move,
  moveWords,
  nameOf,
} from '#src/console/pages/home/inbox.ts'
import { type Need, stateOf } from '#src/console/pages/home/need-state.ts'
import { summaryWords, titleFor } from '#src/console/pages/home/words.ts'
import {
  type ApplicationHealth,
  healthIn,
  shortMessage,
  verdictWords,
} from '#src/console/ui/health.ts'
import { environmentState } from '#tests/support/promotion-state.ts'

const move: Move = {
  kind: 'promotion',
  waitsFor: 'review',
  entity: { kind: 'Component', name: 'payments-api', title: 'Payments API' },
  team: 'payments',
  app: 'payments-api',
  environment: 'staging',
  targetLifecycle: 'staging',
  pullRequest: null,
  askedBy: null,
  since: null,
  canConfirm: false,
  requires: [],
}
const confirm = { ...move, waitsFor: 'confirm' } as const

const pull = {
  number: 7,
  title: 't',
  url: 'https://git.test/7',
  state: 'open',
  branch: 'b',
  checks: 'passing',
  review: 'required',
  draft: false,
  queued: false,
} as const
const DEV = { subject: 'dev', name: 'Dana' }

describe('what waits for a person', () => {
  const waiting = (facts: Partial<Move>, { platform = false } = {}) => {
    const person = { subject: 'dev', platform }
    const { yours, others } = inboxOf([{ ...move, ...facts }], [], { person, now: 0 })
    return yours.map(({ kind }) => kind).join() || `others: ${others.length}`
  }
  const open = (facts: Partial<NonNullable<Move['pullRequest']>>) => ({ ...pull, ...facts })

  test.each<[string, Partial<Move>, { readonly platform?: boolean }, string]>([
    ['a confirmation of their own', { ...confirm, canConfirm: true }, {}, 'confirm'],
    ['one of others', confirm, {}, 'others: 1'],
    ['a review', { pullRequest: pull }, {}, 'others: 1'],
    ['a review of the platform team', { pullRequest: pull }, { platform: true }, 'review'],
    ['their own change', { pullRequest: pull, askedBy: DEV }, { platform: true }, 'others: 1'],
    ['a draft', { pullRequest: open({ draft: true }) }, { platform: true }, 'others: 1'],
    ['a queued one', { pullRequest: open({ queued: true }) }, { platform: true }, 'others: 1'],
    [
      'their own, with failing checks',
      { pullRequest: open({ checks: 'failing' }), askedBy: DEV },
      {},
      'mend',
    ],
    [
      'failing checks of others',
      { pullRequest: open({ checks: 'failing' }) },
      { platform: true },
      'others: 1',
    ],
  ])('%s', (_, facts, person, words) => {
    expect(waiting(facts, person)).toBe(words)
  })

  test('is a failed project too, until a later run of it has ended well, or two weeks', () => {
    const day = 24 * 60 * 60 * 1_000
    const run = (id: string, appName: string, status: 'failed' | 'complete', subject = 'dev') => ({
      id,
      status,
      templateId: 't',
      appName,
      team: 'payments',
      namespace: 'n',
      parameters: {},
      createdBy: { subject, name: subject },
      createdAt: new Date(0).toISOString(),
      finishedAt: null,
      steps: [],
      failure: null,
      repoUrl: null,
      prUrl: null,
      prNumber: null,
    })
    const runs = [
      run('1', 'shop', 'failed'),
      run('2', 'cart', 'complete'),
      run('3', 'cart', 'failed'),
      run('4', 'other', 'failed', 'ann'),
    ]
    const found = (now: number) =>
      inboxOf([], runs, { person: { subject: 'dev', platform: true }, now }).yours.map((item) =>
        item.kind === 'run' ? item.run.id : item.kind,
      )
    expect(found(13 * day)).toStrictEqual(['1'])
    expect(found(15 * day)).toStrictEqual([])
  })
})

const row = (facts: Partial<ApplicationHealth> = {}): ApplicationHealth => ({
  entity: { kind: 'Component', name: 'shop', title: null },
  environment: 'dev',
  cluster: 'east',
  namespace: 'payments-dev',
  health: 'Degraded',
  reason: 'OOMKilled',
  message: '2 of 2 pods: OOMKilled',
  since: '2026-11-28T10:00:00Z',
  ...facts,
})

describe('what is broken', () => {
  test('is told nearest to customers first, then the newest', () => {
    const rows = [
      row({ health: 'Healthy' }),
      row({ cluster: 'old', since: '2026-11-01T10:00:00Z' }),
      row({ cluster: 'unstable', health: 'Unstable' }),
      row({ cluster: 'new' }),
      row({ cluster: 'production', environment: 'production', since: null }),
    ]
    const found = brokenIn(rows, ['dev', 'staging', 'production'])
    expect(found.map(({ cluster }) => cluster)).toStrictEqual([
      'production',
      'new',
      'old',
      'unstable',
    ])
  })

  test.each([
    ['2026-11-28T10:00:00Z', 'began'],
    ['2026-11-28T09:01:00Z', 'began'],
    ['2026-11-28T08:59:00Z', 'last'],
    ['2026-11-28T10:00:01Z', 'last'],
  ])('began with the change of %p: %p', (deployedAt, kind) => {
    const environment = {
      ...ENVIRONMENT,
      deployedAt,
      deployedBy: DEV,
      image: { name: 'i', tag: '1.2', digest: null },
    }
    expect(changeBefore(row(), { environments: [environment] })).toStrictEqual({
      kind: kind === 'began' ? 'began' : 'last',
      version: '1.2',
      at: deployedAt,
      by: 'Dana',
    })
  })

  test.each([
    ['2 of 2 pods: OOMKilled', 'shop'],
    ['CronJob exchange-rates: The last run failed', 'exchange-rates'],
  ])('is looked for in its namespace: %s', (message, name) => {
    expect(searchFor(row({ message }))).toBe(name)
  })

  test('has no change that is known without a time', () => {
    expect(changeBefore(row(), { environments: [ENVIRONMENT] })).toBeUndefined()
    expect(changeBefore(row({ environment: 'staging' }), { environments: [] })).toBeUndefined()
  })

  // prettier-ignore
  test.each([
    ['it broke with its release',              {},                    {},                 true,  1],
    ['it has been restarting since',           { health: 'Unstable' }, {},                true,  1],
    ['it broke days later',                    { since: '2026-12-01T09:00:00Z' }, {},     true,  0],
    ['it is well',                             { health: 'Healthy' }, {},                 true,  0],
    ['another proposal is open',               {},                    { pullRequest: 7 }, true,  0],
    ['the person may not',                     {},                    {},                 false, 0],
  ] as const)('its release can be undone on its page: %s', (_, health, environment, allowed, count) => {
    const since = '2026-11-21T09:05:00Z'
    const environments = [{ ...ENVIRONMENT, deployedAt: '2026-11-21T09:00:00Z', ...environment }]
    const act = {
      do: 'rollback' as const,
      environment: 'dev' as const,
      requires: [],
      allowed,
      reason: allowed ? null : ('forbidden' as const),
      message: '',
    }
    expect(undoable([row({ since, ...health })], { environments, acts: [act] })).toHaveLength(count)
  })

  test('is mended by the former image, or by another where there is none', () => {
    const act = (what: 'release' | 'rollback' | 'promote', allowed = true) => ({
      do: what,
      environment: 'dev' as const,
      allowed,
      requires: [],
      reason: allowed ? null : ('forbidden' as const),
      message: 'Needs payments:Managers',
    })
    const acts = [act('promote'), act('release'), act('rollback')]
    expect(mendingAct(row(), { acts })?.do).toBe('rollback')
    expect(mendingAct(row({ reason: 'ImagePullBackOff' }), { acts })?.do).toBe('release')
    expect(mendingAct(row(), { acts: [act('release'), act('rollback', false)] })?.do).toBe(
      'release',
    )
    expect(mendingAct(row({ environment: 'staging' }), { acts })).toBeUndefined()
  })
})

const ENVIRONMENT = environmentState({ overlay: true, state: 'live' })

test.each<[string, Partial<Need>, readonly ApplicationHealth[], string | undefined]>([
  ['nothing', {}, [row({ health: 'Healthy', reason: null })], 'Healthy'],
  ['what is broken', {}, [row()], 'OOMKilled in dev'],
  ['what cannot be asked', {}, [row({ health: 'Unknown', reason: 'x' })], 'Unknown'],
  ['its deprecation', { lifecycle: 'Deprecated' }, [], 'deprecated'],
  [
    'what is broken before its deprecation',
    { lifecycle: 'deprecated' },
    [row()],
    'OOMKilled in dev',
  ],
  [
    'its provider that is broken',
    { entity: { kind: 'API', name: 'http', title: null }, providers: [row().entity] },
    [row()],
    'OOMKilled in dev',
  ],
  [
    'nothing of others',
    {},
    [row({ entity: { kind: 'Component', name: 'x', title: null } })],
    undefined,
  ],
])('the trouble with something that is needed is %s', (_, facts, rows, words) => {
  const need: Need = {
    entity: row().entity,
    owner: null,
    lifecycle: null,
    neededBy: [],
    providers: [],
    ...facts,
  }
  const state = stateOf(need, rows)
  expect(state.isTrouble ? state.words : state.word).toBe(words)
})

describe('health', () => {
  const SHOP = { kind: 'component', name: 'shop' }

  test('is the worst of all clusters, of this application in this environment', () => {
    const rows = [
      row({ health: 'Healthy' }),
      row({ health: 'Unknown', reason: 'cluster_unreachable' }),
      row({ environment: 'staging' }),
      row({ entity: { kind: 'Component', name: 'cart', title: null } }),
    ]
    expect(healthIn(rows, SHOP, 'dev').health).toBe('Unknown')
    expect(healthIn(rows, SHOP, 'staging').health).toBe('Degraded')
  })

  test('is one sentence, without what a registry answered', () => {
    const message = '1 of 1 new pods: ImagePullBackOff; the old version still serves. Back-off: x'
    expect(shortMessage({ message })).toBe(
      '1 of 1 new pods: ImagePullBackOff; the old version still serves',
    )
    expect(shortMessage({ message: 'memory limit 1.5Gi' })).toBe('memory limit 1.5Gi')
  })

  test('is never silently absent', () => {
    expect(verdictWords(healthIn([], SHOP, 'dev'))).toBe('No access')
  })

  test.each([
    [row({ health: 'Healthy', reason: null }), undefined],
    [row(), 'OOMKilled'],
    [row({ health: 'Progressing', reason: null }), 'Progressing'],
    [row({ health: 'Unknown', reason: 'cluster_unreachable' }), 'Cluster unreachable'],
    [row({ health: 'Unknown', reason: 'something_new' }), 'Health unknown'],
  ])('%j in words', (verdict, words) => {
    expect(verdictWords(verdict)).toBe(words)
  })
})

test.each([
  [undefined, 0, 1, ''],
  [0, 0, 0, 'Nothing is broken, and nothing waits for you.'],
  [1, 0, 0, '1 environment is broken, nothing waits for you.'],
  [2, 0, 3, '2 environments are broken, 3 things wait for you.'],
  [0, 0, 1, 'Nothing is broken, 1 thing waits for you.'],
  [0, 4, 1, 'Nothing is known to be broken, 1 thing waits for you.'],
  [0, 4, 0, 'Nothing is known to be broken, and nothing waits for you.'],
])('%p broken, %p unknown and %p waiting: %s', (broken, unknown, yours, words) => {
  expect(summaryWords({ broken, unknown, yours })).toBe(words)
})

test('the title names whose day it is', () => {
  expect(titleFor(['payments'], false)).toBe('Payments today')
  expect(titleFor(['payments', 'shipping'], false)).toBe('Your teams today')
  expect(titleFor([], false)).toBe('Your teams today')
  expect(titleFor(['payments'], true)).toBe('Everything today')
})

test.each<[Partial<Move>, string]>([
  [{}, 'promote to staging'],
  [{ kind: 'release', environment: 'production' }, 'release to production'],
  [{ kind: 'scaffold', environment: null, targetLifecycle: null }, 'new project'],
  [{ kind: 'deprecation', environment: null, targetLifecycle: 'deprecated' }, 'deprecate'],
  [{ kind: 'lifecycle', environment: null }, 'lifecycle to staging'],
])('%p is: %s', (facts, words) => {
  expect(moveWords({ ...move, ...facts })).toBe(words)
})

test('a name is that of the entity, else that of the application', () => {
  expect(nameOf(move)).toBe('Payments API')
  expect(nameOf({ ...move, entity: { kind: 'Component', name: 'a', title: null } })).toBe('a')
  expect(nameOf({ ...move, entity: null })).toBe('payments-api')
})

test('a refused confirmation says whom to ask', () => {
  const requires = ['platform-team', 'payments:Managers']
  expect(confirmReason({ ...confirm, requires })).toBe('Needs platform-team or payments:Managers')
  expect(confirmReason({ ...confirm, canConfirm: true, requires })).toBeUndefined()
})

test('the end of a confirmation is a sentence', () => {
  const { number, title, url, state } = pull
  expect(
    confirmedWords('Shop', {
      status: 'lifecycle_pr_open',
      pullRequest: { number, title, url, state },
    }),
  ).toBe('Merging pull request #7 confirms Shop')
})

test('the groups of a team say what they may, and which are one’s own', () => {
  const roles = rolesOf('payments', { groups: ['payments:Managers'] })
  expect(roles.map(({ group, isYours }) => [group, isYours])).toStrictEqual([
    ['payments', false],
    ['payments:Managers', true],
  ])
})
