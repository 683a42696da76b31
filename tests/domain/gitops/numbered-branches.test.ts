import { describe, expect, test } from 'bun:test'
import {
  findBlocking,
  isNumbered,
  listNumbered,
  numbersIn,
} from '#src/lib/domain/gitops/numbered-branches.ts'
import { BranchName } from '#src/lib/names.ts'
import { BRANCHES_MAX, type GitHost } from '#src/lib/ports/git-host.ts'
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

/** Lists names as a host does, and notes the calls. */
function hostOf(names: readonly string[]) {
  const sorted = [...new Set(names)]
    .toSorted((a, b) => (a < b ? -1 : 1))
    .map((name) => BranchName.of(name))
  const calls: string[] = []
  const host: Pick<GitHost, 'listBranches'> = {
    async listBranches(_, prefix) {
      calls.push(prefix)
      return ok(sorted.filter((name) => name.startsWith(prefix)).slice(0, BRANCHES_MAX))
    },
  }
  return { host, calls }
}

const many = (count: number, name: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => name(index))

describe('a listing that is full', () => {
  const siblings = many(BRANCHES_MAX, (index) => `${DEV}-${index}`)

  test.each([
    ['environments with the same beginning', siblings],
    ['and many numbers', [...siblings, ...many(2_500, (n) => `${DEV}.${n + 2}`)]],
    ['many branches below', [...siblings, ...many(BRANCHES_MAX, (index) => `${DEV}/${index}`)]],
  ])('leaves no number out: %s', async (_, crowd) => {
    const own = [DEV, `${DEV}.2`, `${DEV}.77`, `${DEV}.123456`, `${DEV}.123456789`]
    for (const names of [crowd, [...new Set([...crowd, ...own])]]) {
      const { host, calls } = hostOf(names)
      const all = numbersIn(
        names.map((name) => BranchName.of(name)),
        DEV,
      )
      const listed = await listNumbered(host, GITOPS, DEV)
      expect(listed.ok && numbersIn(listed.value, DEV)).toStrictEqual(all)
      expect(calls.length).toBeLessThan(200)
    }
  })
})

test.each(['promote', 'promote/payments', 'promote/payments/shop'])(
  'a branch %s leaves no room',
  async (by) => {
    const others = many(BRANCHES_MAX, (index) => `promote/payments/a${index}/dev`)
    expect(await findBlocking(hostOf([...others, by]).host, GITOPS, DEV)).toStrictEqual(ok(by))
    const free = hostOf([...others, `${by}-x`, `${by}.2`, DEV])
    expect(await findBlocking(free.host, GITOPS, DEV)).toStrictEqual(ok(undefined))
  },
)
