import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseQuantity, resourceFaults } from '#src/lib/domain/promotion/quantity.ts'

const UNIT = 1_000_000_000n
const MOST = 2n ** 63n - 1n

describe('quantities, as Kubernetes reads them', () => {
  // prettier-ignore
  test.each<[string, bigint]>([
    ['0',           0n],
    ['00',          0n],
    ['0n',          0n],
    ['0Ki',         0n],
    ['0.0',         0n],
    ['0e3',         0n],
    ['+0',          0n],
    ['1n',          1n],
    ['1u',          1_000n],
    ['1m',          1_000_000n],
    ['100m',        UNIT / 10n],
    ['0.1',         UNIT / 10n],
    ['500m',        UNIT / 2n],
    ['0.5',         UNIT / 2n],
    ['.5',          UNIT / 2n],
    ['1500m',       3n * UNIT / 2n],
    ['1.5',         3n * UNIT / 2n],
    ['1',           UNIT],
    ['1.',          UNIT],
    ['+1',          UNIT],
    ['007',         7n * UNIT],
    ['1000m',       UNIT],
    ['1000000u',    UNIT],
    ['1000000000n', UNIT],
    ['1k',          1_000n * UNIT],
    ['1e3',         1_000n * UNIT],
    ['1E3',         1_000n * UNIT],
    ['1e+3',        1_000n * UNIT],
    ['1.5e3',       1_500n * UNIT],
    ['100e-3',      UNIT / 10n],
    ['1E-9',        1n],
    ['12e0',        12n * UNIT],
    ['1M',          10n ** 6n * UNIT],
    ['1G',          10n ** 9n * UNIT],
    ['1.G',         10n ** 9n * UNIT],
    ['1T',          10n ** 12n * UNIT],
    ['1P',          10n ** 15n * UNIT],
    ['1E',          10n ** 18n * UNIT],
    ['1Ki',         1_024n * UNIT],
    ['1.5Ki',       1_536n * UNIT],
    ['0.1Ki',       1_024n * UNIT / 10n],
    ['8Mi',         8n * 2n ** 20n * UNIT],
    ['128Mi',       134_217_728n * UNIT],
    ['1Gi',         2n ** 30n * UNIT],
    ['1Ti',         2n ** 40n * UNIT],
    ['1Pi',         2n ** 50n * UNIT],
    ['7Ei',         7n * 2n ** 60n * UNIT],
    ['0.001',       UNIT / 1_000n],
    ['0.5m',        UNIT / 2_000n],
    ['9223372036854775807', MOST * UNIT],
  ])('%s', (text, nanos) => {
    expect(parseQuantity(text)).toBe(nanos)
  })

  // prettier-ignore
  test.each<[string, bigint]>([
    ['0.1n', 1n], ['1.1n', 2n], ['0.0000000001', 1n], ['1.0000000001', UNIT + 1n], ['1e-10', 1n], ['1e-60', 1n], ['1e-999', 1n], ['0.0001u', 1n], ['0.00000000001Ki', 11n],
  ])('finer than a billionth is rounded up: %s', (text, nanos) => {
    expect(parseQuantity(text)).toBe(nanos)
  })

  // prettier-ignore
  test.each([
    '', ' ', ' 1', '1 ', '1 Gi', '1\n', '\t1', '-1', '-0', '-1Gi', '+', '-', '--1', '+-1', '++1', '.', '+.', '.Gi', 'Gi', 'm', 'e3', '1.2.3', '1..2', '1,5', '1_000',
    '1gb', '1GB', '1GiB', '1g', '1K', '1KI', '1ki', '1mi', '0.1mi', '1kI', '1i', '.5i', '1ni', '1ui', '1mm', '1Mim', '1b', '1Z', '1Yi', '1U', '1N', '1µ', '1%',
    '1e', '1E+', '1e-', '1e3.5', '1e3k', '1e3Ki', '1Ke3', '1Ee3', '1eE3', 'e', 'aoeu', '1.1.M', '1+1.0M', '0.1am', '3.01i', '3.01e-',
    'NaN', 'nan', 'Infinity', 'inf', '0x10', '0b1', '0o7', '1n1', '１', '١', '1\u00a0', 'true', 'null', '__proto__', '1constructor',
  ])('no quantity: %j', (text) => {
    expect(parseQuantity(text)).toBeUndefined()
  })

  // prettier-ignore
  test.each([
    '9223372036854775808', '9223372036854775807.1', '8Ei', '10E', '9.3E', '1e19', '1E19', '1e400', '1e999', '1e4000', '1e99999999999999999999', '1e-99999999999999999999',
  ])('too large: %s', (text) => {
    expect(parseQuantity(text)).toBeUndefined()
  })

  test('up to 32 characters', () => {
    expect(parseQuantity('1'.padStart(32, '0'))).toBe(UNIT)
    expect(parseQuantity('1'.padStart(33, '0'))).toBeUndefined()
    expect(parseQuantity('1'.repeat(1_000_000))).toBeUndefined()
  })
})

describe('for anything', () => {
  test('thousandths, with every way to write them', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10 ** 12 }), (count) => {
        const nanos = BigInt(count) * 1_000_000n
        const decimal = `${Math.floor(count / 1_000)}.${String(count % 1_000).padStart(3, '0')}`
        for (const text of [`${count}m`, `${count}e-3`, `${count}000u`, decimal, `+${decimal}`])
          expect(parseQuantity(text)).toBe(nanos)
      }),
    )
  })

  test('no text is an error, and what is a quantity is within what one can hold', () => {
    const piece = fc.constantFrom(...Array.from('0123456789.+-eEinumkKMGTP '))
    fc.assert(
      fc.property(fc.string({ unit: piece, maxLength: 34 }), (text) => {
        const nanos = parseQuantity(text)
        if (nanos === undefined) return
        expect(nanos >= 0n && nanos <= MOST * UNIT).toBe(true)
        expect(text).toMatch(/^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$/)
      }),
      { numRuns: 2_000 },
    )
  })
})

// prettier-ignore
test.each([
  ['500m', '0.5', true], ['1', '1000m', true], ['1Ki', '1k', false], ['1k', '1Ki', true], ['1E3', '1E', true], ['1E', '1E3', false], ['2', '1999m', false],
])('%s is at most %s: %j', (a, b, expected) => {
  const [request, limit] = [{ requests: { cpu: a } }, { limits: { cpu: b } }]
  const isRefused = (...given: Parameters<typeof resourceFaults>) =>
    resourceFaults(...given).length > 0
  expect(isRefused(request, undefined, limit)).toBe(!expected)
  // A value of the request counts before that of the overlay, and both before that of the base.
  expect(isRefused(request, limit, { limits: { cpu: '9' } })).toBe(!expected)
  expect(isRefused({ ...request, ...limit }, { limits: { cpu: '0' } }, {})).toBe(!expected)
})

/** Nine levels of nine aliases in a file: as one text, they take a minute and gigabytes. */
test('what is neither text nor number is no quantity', () => {
  let lists: unknown = '2'
  for (let level = 0; level < 9; level++) lists = Array<unknown>(9).fill(lists)
  const base = { requests: { cpu: lists } } as Parameters<typeof resourceFaults>[2]
  expect(resourceFaults({ limits: { cpu: '1' } }, undefined, base)).toStrictEqual([])
})
