import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseEnvironments } from '#src/lib/domain/promotion/pipeline.ts'

const DEFAULT = 'dev:development:member,staging:staging:manager,production:production:manager'
const row = (environment: string, lifecycle: string, promotedBy: string) => ({
  environment,
  lifecycle,
  promotedBy,
})

describe('ENVIRONMENTS', () => {
  test('is read in its order, spaces around commas ignored', () => {
    expect(parseEnvironments(DEFAULT.replaceAll(',', ' , '))).toMatchObject({
      ok: true,
      value: {
        stages: [
          row('dev', 'development', 'member'),
          row('staging', 'staging', 'manager'),
          row('production', 'production', 'manager'),
        ],
      },
    })
  })

  test.each([
    ['', 'row 1 needs three parts'],
    [',', 'row 1 needs three parts; row 2 needs three parts'],
    [`${DEFAULT},`, 'row 4 needs three parts'],
    ['dev', 'row 1 needs three parts'],
    ['dev:development', 'row 1 needs three parts'],
    ['dev:development:member:x', 'row 1 needs three parts'],
    ['Dev:development:member', 'row 1 needs as its name up to 19'],
    ['-dev:development:member', 'row 1 needs as its name up to 19'],
    ['d/ev:development:member', 'row 1 needs as its name up to 19'],
    ['..:development:member', 'row 1 needs as its name up to 19'],
    [':development:member', 'row 1 needs as its name up to 19'],
    [`${'d'.repeat(20)}:development:member`, 'row 1 needs as its name up to 19'],
    ['dev:Development:member', 'row 1 needs as its lifecycle up to 63'],
    ['dev::member', 'row 1 needs as its lifecycle up to 63'],
    [`dev:${'d'.repeat(64)}:member`, 'row 1 needs as its lifecycle up to 63'],
    ['dev:development:', 'row 1 needs as its role member or manager'],
    ['dev:development:Manager', 'row 1 needs as its role member or manager'],
    ['dev:experimental:member', 'row 1 has a lifecycle that is reserved'],
    ['dev:deprecated:manager', 'row 1 has a lifecycle that is reserved'],
    ['staging:tests:member', 'row 1 is staging or production, which only managers'],
    ['live:production:member', 'row 1 is staging or production, which only managers'],
    ['pre:staging:member', 'row 1 is staging or production, which only managers'],
    ['production:live:member', 'row 1 is staging or production, which only managers'],
    ['dev:development:member,dev:testing:member', 'row 2 repeats a name'],
    ['dev:development:member,qa:development:member', 'row 2 repeats a lifecycle'],
    ['Dev:a:member,qa:b:nobody', 'row 1 needs as its name'],
    ['Dev:a:member,qa:b:nobody', 'row 2 needs as its role'],
  ])('%p is refused: %s', (text, reason) => {
    expect(parseEnvironments(text)).toStrictEqual({
      ok: false,
      error: expect.stringContaining(reason),
    })
  })

  const rows = (count: number) =>
    Array.from({ length: count }, (_, index) => `e${index}:l${index}:member`).join(',')

  test('has at most ten rows', () => {
    expect(parseEnvironments(rows(10))).toMatchObject({ ok: true })
    expect(parseEnvironments(rows(11))).toStrictEqual({
      ok: false,
      error: 'may have at most 10 environments, and has 11',
    })
  })

  test('never repeats what was given in a mistake', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (text) => {
        const read = parseEnvironments(`CANARY${text}`)
        expect(read.ok ? '' : read.error).not.toContain('CANARY')
        expect(read.ok).toBe(false)
      }),
    )
  })
})
