import { expect, test } from 'bun:test'
import type { EntityAct } from '#src/console/pages/entity/acts/acts-of.ts'
import { placeActs, reasonsOf } from '#src/console/pages/entity/placed-acts.ts'

const act = (
  what: EntityAct['do'],
  environment: string | null,
  reason: string | null = null,
): EntityAct => ({ do: what, environment, label: what, reason })

const names = (acts: readonly EntityAct[]) => acts.map(({ do: what }) => what)

test('the way up is below the pipeline, and its main act is the last', () => {
  const acts = [
    act('release', 'dev'),
    act('rollback', 'dev'),
    act('promote', 'qa'),
    act('promote', 'staging'),
    act('confirm', 'staging', 'PR #4 pending'),
    act('deprecate', null),
  ]
  const placed = placeActs(acts, 'staging')
  expect(names(placed.next)).toStrictEqual(['confirm', 'promote'])
  expect(names(placed.inStage('dev'))).toStrictEqual(['release', 'rollback'])
  expect(names(placed.inStage('qa'))).toStrictEqual(['promote'])
  expect(names(placed.inStage('staging'))).toStrictEqual([])
  expect(names(placed.inMenu)).toStrictEqual(['deprecate'])
})

test('a reason is told once', () => {
  const acts = [act('release', 'dev', 'Needs a'), act('rollback', 'dev', 'Needs a')]
  expect(reasonsOf([...acts, act('confirm', 'dev'), act('promote', 'dev', 'b')])).toStrictEqual([
    'Needs a',
    'b',
  ])
})
