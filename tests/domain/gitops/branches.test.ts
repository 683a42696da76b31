import { describe, expect, test } from 'bun:test'
import { findBlocking, isNumbered, numbersIn } from '#src/lib/domain/gitops/branches.ts'
import { BranchName } from '#src/lib/names.ts'
import { ok } from '#src/lib/result.ts'
import { GITOPS } from '#tests/support/portal.ts'

const DEV = BranchName.of('promote/payments/shop/dev')
const branches = (...names: readonly string[]) =>
  names.map((name) => BranchName.of(`promote/payments/shop/${name}`))
const numbers = (...names: readonly string[]) => {
  const { highest, next } = numbersIn(branches(...names), DEV)
  const short = (name: string | null) => name?.slice('promote/payments/shop/'.length) ?? null
  return [short(highest), short(next)]
}

describe('the numbers of branches', () => {
  test('begin with the name itself', () => {
    expect(numbers()).toStrictEqual([null, 'dev'])
    expect(numbers('dev')).toStrictEqual(['dev', 'dev.2'])
  })

  test('go on after the highest, whatever is missing below and in whatever order', () => {
    expect(numbers('dev.10', 'dev.9', 'dev')).toStrictEqual(['dev.10', 'dev.11'])
    expect(numbers('dev.3')).toStrictEqual(['dev.3', 'dev.4'])
  })

  test('are used up by branches below', () => {
    expect(numbers('dev/x')).toStrictEqual([null, 'dev.2'])
    expect(numbers('dev', 'dev.2/x/y')).toStrictEqual(['dev', 'dev.3'])
  })

  test.each([
    'dev-eu',
    'dev.x',
    'dev.1',
    'dev.0',
    'dev.02',
    'dev.2.3',
    'dev.-1',
    'devs',
    'dev.9999999999',
    'staging',
    'staging.2',
  ])('are not in %s', (name) => {
    expect(numbers(name)).toStrictEqual([null, 'dev'])
    expect(branches(name, `${name}/x`).some((branch) => isNumbered(branch, DEV))).toBe(false)
  })

  test('belong to the branch itself, not to one below it', () => {
    expect(branches('dev', 'dev.2').every((branch) => isNumbered(branch, DEV))).toBe(true)
    expect(branches('dev/x', 'dev.2/x').some((branch) => isNumbered(branch, DEV))).toBe(false)
  })
})

test.each(['promote', 'promote/payments', 'promote/payments/shop'])(
  'a branch %s leaves no room',
  async (by) => {
    const blockedBeside = (...names: readonly string[]) =>
      findBlocking(
        {
          listBranches: async (_, prefix) =>
            ok(
              names
                .toSorted()
                .filter((name) => name.startsWith(prefix))
                .map((name) => BranchName.of(name)),
            ),
        },
        GITOPS,
        DEV,
      )
    const others = ['promote/payments/a/dev', DEV, `${by}-x`, `${by}.2`]
    expect(await blockedBeside(...others, by)).toStrictEqual(ok(by))
    expect(await blockedBeside(...others)).toStrictEqual(ok(undefined))
  },
)
