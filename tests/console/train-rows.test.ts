import { describe, expect, test } from 'bun:test'
import type { EntityAct } from '#src/console/pages/entity/acts/acts-of.ts'
import {
  type Cell,
  nextRelease,
  trainOf,
  type Version,
} from '#src/console/pages/entity/train-rows.ts'
import { promotionState } from '#tests/support/promotion-state.ts'

type Environment = (typeof promotionState)['environments'][number]

const version = (tag: string, commit: string | null = 'a'.repeat(40)): Version => ({
  tag,
  commit,
  subject: null,
  by: null,
  at: null,
  url: null,
  environments: [],
})
const VERSIONS = ['4', '3', '2', '1'].map((tag) => version(tag))

const act = (what: EntityAct['do'], environment: Environment['name'], allowed = true) => ({
  do: what,
  environment,
  allowed,
  requires: [],
  reason: null,
  message: '',
})
const ACTS = [act('release', 'dev'), act('update', 'staging'), act('promote', 'production')]

const [template] = promotionState.environments
if (template === undefined) throw new Error('no environment')
const at = (name: Environment['name'], tag: string | null, proposed?: string): Environment => ({
  ...template,
  name,
  overlay: tag !== null,
  image: tag === null ? null : { name: null, tag, digest: null },
  proposed:
    proposed === undefined
      ? null
      : { image: { name: null, tag: proposed, digest: null }, config: {}, pullRequest: 7 },
})

const sign = (cell: Cell): string => {
  if (cell.kind === 'act')
    return `${cell.isNext ? 'next ' : ''}${cell.isBack ? 'back' : cell.act.do}`
  return cell.kind === 'review' ? `#${cell.pullRequest}` : cell.kind
}
const drawn = (environments: readonly Environment[], versions = VERSIONS, acts = ACTS) =>
  trainOf({ environments: [...environments], acts }, versions).rows.map(
    ({ version, isNew, cells }) => [version.tag, isNew, ...cells.map(sign)],
  )

describe('versions against environments', () => {
  test('say where each is, what is in review, and what comes next', () => {
    expect(drawn([at('dev', '3'), at('staging', '2', '3'), at('production', null)])).toStrictEqual([
      ['4', true, 'next release', 'update', 'promote'],
      ['3', false, 'here', '#7', 'promote'],
      ['2', false, 'back', 'here', 'next promote'],
      ['1', false, 'back', 'back', 'promote'],
    ])
  })

  test('have a row for what is proposed and nothing else knows', () => {
    const [first] = drawn([at('dev', '3', '5-rc')], VERSIONS)
    expect(first).toStrictEqual(['5-rc', false, '#7'])
  })

  test('offer what the server allows alone', () => {
    const acts = [act('release', 'dev', false), act('rollback', 'dev')]
    expect(drawn([at('dev', '3')], VERSIONS, acts).map((row) => row[2])).toStrictEqual([
      'none',
      'here',
      'none',
      'none',
    ])
  })

  test.each([
    ['3 2 1', 'production 2'],
    ['3 2 2', 'staging 3'],
    ['3 3 3', 'dev 4'],
    ['4 4 4', undefined],
    ['1 2 3', 'dev 4'],
  ])('with %s have next %s', (running, next) => {
    const [dev = '', staging = '', production = ''] = running.split(' ')
    const environments = [at('dev', dev), at('staging', staging), at('production', production)]
    const found = nextRelease({ environments, acts: ACTS }, VERSIONS)
    expect(found && `${found.act.environment} ${found.version}`).toStrictEqual(next)
  })

  test.each([
    ['20', 6],
    ['12', 9],
    [null, 6],
  ])('show what runs, however old: %s', (tag, shown) => {
    const many = Array.from({ length: 20 }, (_, index) => version(String(20 - index)))
    expect(trainOf({ environments: [at('dev', tag)], acts: [] }, many).shown).toBe(shown)
  })
})
