import { describe, expect, test } from 'bun:test'
import {
  actChoice,
  actIn,
  type Choice,
  CHOICES_MAX,
  moved,
  offer,
  parseRecent,
  rankOf,
  recentText,
  withRecent,
} from '#src/console/shell/palette/choices.ts'

const choice = (label: string, hint = 'Page', href = `/${label}`): Choice => ({
  label,
  hint,
  icon: 'grid',
  act: { kind: 'go', href },
})
const labels = (choices: readonly Choice[]) => choices.map(({ label }) => label)
const NOTHING = { recent: [], known: [], entities: [], isCurrent: true }

describe('a choice fits', () => {
  test.each([
    ['Ledger', 'ledger', 0],
    ['Ledger queries', 'ledger', 1],
    ['Old ledger', 'led', 2],
    ['payments-api', 'api', 2],
    ['Bookledger', 'ledger', 3],
    ['Ledger', 'component led', 4],
    ['Ledger', 'ldgr', 5 + 2 / 3],
    ['Payments API', 'pmtapi', 5 + 6 / 7],
    ['Ledger', 'l', 1],
    ['Ledger', 'x', undefined],
    ['Ledger', 'regdel', undefined],
    ['Ledger', 'ledger x', undefined],
    ['Čas', 'cas', 0],
  ])('%p to %p at place %p', (label, text, rank) => {
    expect(rankOf(choice(label, 'Component · payments'), text)).toBe(rank)
  })
})

describe('the palette offers', () => {
  const pages = [choice('Catalog'), choice('Clusters')]

  test('what was chosen before, then all that is known, each once', () => {
    const recent = [choice('Ledger'), choice('Clusters')]
    expect(labels(offer(' ', { ...NOTHING, recent, known: pages }))).toStrictEqual([
      'Ledger',
      'Clusters',
      'Catalog',
    ])
  })

  test('the best first, and of equal ones those chosen before', () => {
    const entities = [choice('Ledger queries'), choice('Ledger')]
    const recent = [choice('Ledger list')]
    expect(labels(offer('led', { ...NOTHING, recent, known: pages, entities }))).toStrictEqual([
      'Ledger list',
      'Ledger queries',
      'Ledger',
    ])
    expect(labels(offer('ledger', { ...NOTHING, entities }))[0]).toBe('Ledger')
  })

  test('last what only the server finds, as long as it is of the present text', () => {
    const entities = [choice('Billing')]
    expect(labels(offer('nightly', { ...NOTHING, entities }))).toStrictEqual(['Billing'])
    expect(offer('nightly', { ...NOTHING, entities, isCurrent: false })).toStrictEqual([])
  })

  test('no more than fits', () => {
    const known = Array.from({ length: 40 }, (_, at) => choice(`Page ${at}`))
    expect(offer('page', { ...NOTHING, known })).toHaveLength(CHOICES_MAX)
    expect(offer('', { ...NOTHING, known })).toHaveLength(CHOICES_MAX)
  })
})

test.each([
  ['promote ledger', { do: 'promote', label: 'Promote', text: 'ledger' }],
  ['Roll back  pay', { do: 'rollback', label: 'Roll back', text: 'pay' }],
  ['rel checkout web', { do: 'release', label: 'Release', text: 'checkout web' }],
  ['deprecate old', { do: 'deprecate', label: 'Deprecate', text: 'old' }],
  ['promote', undefined],
  ['promoter x', undefined],
  ['ledger promote', undefined],
])('%p asks for the act %p', (text, act) => {
  expect(actIn(text)).toStrictEqual(act)
})

test('an act says whose it is', () => {
  const act = { do: 'rollback', environment: 'dev', label: 'Roll back…' }
  expect(actChoice(act, 'ledger', '/x?do=rollback')).toMatchObject({
    hint: 'ledger · dev',
    icon: 'undo',
  })
  expect(actChoice({ ...act, environment: null }, 'ledger', '/x').hint).toBe('ledger')
})

test.each([
  [0, 3, 1, 1],
  [2, 3, 1, 0],
  [0, 3, -1, 2],
  [0, 0, 1, 0],
] as const)('an arrow leads from %p of %p by %p to %p', (at, count, step, next) => {
  expect(moved(at, count, step)).toBe(next)
})

describe('recent choices', () => {
  const five = ['a', 'b', 'c', 'd', 'e'].map((label) => choice(label))

  test('are five, the newest first, each once', () => {
    expect(labels(withRecent(five, choice('c')))).toStrictEqual(['c', 'a', 'b', 'd', 'e'])
    expect(labels(withRecent(five, choice('f')))).toStrictEqual(['f', 'a', 'b', 'c', 'd'])
  })

  test('are places, not commands', () => {
    const command: Choice = {
      ...choice('Sign out'),
      act: { kind: 'command', command: 'sign_out' },
    }
    expect(withRecent(five, command)).toStrictEqual(five)
  })

  test('are those of the person', () => {
    const text = recentText(five, 'dev')
    expect(parseRecent(text, 'dev')).toStrictEqual(five)
    expect(parseRecent(text, 'manager')).toStrictEqual([])
  })

  test.each([
    null,
    '',
    '[]',
    '{"subject":"dev","choices":{}}',
    '{"subject":"dev","choices":[null,{"label":"a"}]}',
    JSON.stringify({ subject: 'dev', choices: [choice('a', 'Page', 'javascript:alert(1)')] }),
    JSON.stringify({ subject: 'dev', choices: [choice('a', 'Page', '//elsewhere.invalid')] }),
    JSON.stringify({ subject: 'dev', choices: [{ ...choice('a'), icon: 'toString' }] }),
  ])('are none in %p', (text) => {
    expect(parseRecent(text, 'dev')).toStrictEqual([])
  })
})
