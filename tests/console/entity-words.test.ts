import { describe, expect, test } from 'bun:test'
import { nextBefore } from '#src/console/api/call.ts'
import { actsIn } from '#src/console/pages/entity/audit-acts.ts'
import {
  contentsFilterOf,
  deprecationOf,
  otherAnnotations,
  specFacts,
} from '#src/console/pages/entity/entity.ts'
import {
  doneWords,
  type HistoryRow,
  imageWords,
  peopleWords,
} from '#src/console/pages/entity/history-words.ts'
import { auditRecord } from './audit-record.ts'

const image = (tag: string) => ({ name: 'ghcr.io/acme/shop', tag, digest: null })
const dana = { subject: 'dev', name: 'Dana' }
const marek = { subject: 'manager', name: 'Marek' }

const row = (given: Partial<HistoryRow>): HistoryRow => ({
  environment: 'dev',
  kind: 'release',
  image: image('1.6.0'),
  previousImage: image('1.5.0'),
  commit: 'a'.repeat(40),
  commitUrl: 'https://git.example/commit/a',
  at: null,
  askedBy: dana,
  mergedBy: marek,
  pullRequest: null,
  ...given,
})

describe('a row of the history', () => {
  test.each([
    [{}, '1.5.0 → 1.6.0'],
    [{ previousImage: null }, '1.6.0'],
    [{ previousImage: image('1.6.0') }, '1.6.0, as before'],
    [{ image: null }, 'Removed'],
    [{ image: null, previousImage: null }, 'No image'],
  ])('with %j: %s', (given, words) => {
    expect(imageWords(row(given))).toBe(words)
  })

  test.each([
    [{}, 'asked by Dana, merged by Marek'],
    [{ mergedBy: dana }, 'asked and merged by Dana'],
    [{ mergedBy: null }, 'asked by Dana'],
    [{ askedBy: null }, 'merged by Marek'],
    [{ askedBy: null, mergedBy: null }, ''],
    [{ kind: 'manual' as const, mergedBy: null }, 'by Dana'],
    [{ kind: 'manual' as const, mergedBy: dana }, 'merged by Dana'],
    [
      { askedBy: { subject: null, name: 'Dana' }, mergedBy: { subject: null, name: 'Dana' } },
      'asked by Dana, merged by Dana',
    ],
  ])('with %j: %s', (given, words) => {
    expect(peopleWords(row(given))).toBe(words)
  })

  test.each([
    [{}, 'Released, asked by Dana, merged by Marek'],
    [{ askedBy: null, mergedBy: null }, 'Released'],
    [{ kind: 'manual' as const, mergedBy: null }, 'Changed in git by Dana'],
  ])('with %j: %s', (given, words) => {
    expect(doneWords(row(given))).toBe(words)
  })
})

test('the next page begins after the commit that the header names', () => {
  const link =
    '</api/v1/catalog/entities/component/shop/promotion/history?environment=dev&limit=8&before=abc123>; rel="next"'
  expect(nextBefore(link)).toBe('abc123')
  expect(nextBefore('</x?before=abc>; rel="prev"')).toBeUndefined()
  expect(nextBefore(null)).toBeUndefined()
})

describe('activity', () => {
  test.each([
    [{ details: { target: 'staging', kind: 'promotion' } }, 'proposed a promotion to staging'],
    [{ details: { target: 'development', kind: 'release' } }, 'proposed a release in development'],
    [{ action: 'promotion.confirm', details: { target: 'staging' } }, 'confirmed staging'],
    [{ action: 'promotion.confirm' }, 'confirmed a promotion'],
    [{ action: 'promotion.deprecate' }, 'proposed to deprecate it'],
    [{ action: 'scaffold.start' }, 'started the project'],
    [{ action: 'a.newer.act' }, 'a.newer.act'],
    [
      { result: 'denied' as const, code: 'forbidden', details: { target: 'staging' } },
      'proposed a promotion to staging: refused (forbidden)',
    ],
    [{ action: 'scaffold.start', result: 'failed' as const }, 'started the project: failed'],
    [{ action: 'session.revoke', result: 'allowed' as const }, 'session.revoke'],
    [{ action: 'scaffold.start', result: 'started' as const }, 'started the project: not finished'],
  ])('%j: %s', (given, words) => {
    expect(actsIn([auditRecord(given)]).map((act) => act.words)).toStrictEqual([words])
  })

  test('the start and the end of one request are one row, and previews are none', () => {
    const acts = actsIn([
      auditRecord({ id: '5', requestId: 'r3', result: 'started' }),
      auditRecord({ id: '4', requestId: 'r2', details: { dryRun: true }, result: 'denied' }),
      auditRecord({ id: '3', requestId: 'r1', result: 'done', details: { pullRequest: 7 } }),
      auditRecord({ id: '2', requestId: 'r1', result: 'started' }),
      auditRecord({ id: '1', requestId: null, result: 'started' }),
    ])
    expect(acts.map(({ id, pullRequest }) => [id, pullRequest])).toStrictEqual([
      ['5', undefined],
      ['3', 7],
      ['1', undefined],
    ])
  })
})

describe('a deprecation', () => {
  const annotations = {
    'portico/deprecated-reason': 'Replaced',
    'portico/deprecated-sunset-at': '2027-01-31',
    'portico/image': 'ghcr.io/acme/shop',
    'portico/size': 3,
  }

  test('is what the annotations say', () => {
    expect(deprecationOf('deprecated', annotations)).toStrictEqual({
      reason: 'Replaced',
      replacedBy: null,
      sunsetAt: '2027-01-31',
      by: null,
      at: null,
    })
  })

  test('needs no annotation, and none makes it without the lifecycle', () => {
    expect(deprecationOf('deprecated', null)?.reason).toBeNull()
    expect(deprecationOf('production', { 'portico/image': 'x' })).toBeNull()
    expect(deprecationOf('production', annotations)).toBeNull()
  })

  test('annotations of others are text, and those of the portal are not shown', () => {
    expect(otherAnnotations({ ...annotations, 'acme/size': 3, plain: 'x' })).toStrictEqual([
      ['acme/size', '3'],
      ['plain', 'x'],
    ])
  })
})

test('what belongs to an entity is found by a filter of the catalog, where it has one', () => {
  expect(contentsFilterOf('System', 'checkout')?.query).toStrictEqual({ system: 'checkout' })
  expect(contentsFilterOf('group', 'payments')?.query).toStrictEqual({ owner: 'payments' })
  expect(contentsFilterOf('domain', 'commerce')).toBeNull()
})

test('groups and users have further facts, of whatever form their files have', () => {
  const spec = {
    profile: { email: 'payments@acme.example', picture: 1 },
    children: [],
    memberOf: ['payments', 7],
    parent: { name: 'x' },
  }
  expect(specFacts(spec)).toStrictEqual([
    ['E-mail', 'payments@acme.example'],
    ['Groups', 'payments'],
  ])
  expect([specFacts(null), specFacts({ profile: null }), specFacts('text')]).toStrictEqual([
    [],
    [],
    [],
  ])
})
