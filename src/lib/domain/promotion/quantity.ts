import type { FieldError } from '../../schema/field-error.ts'
import type { Resources } from '../gitops/overlay.ts'

/** Kubernetes resource quantities (apimachinery `resource.Quantity`), exactly, in billionths of a unit. */
const QUANTITY = /^\+?(\d+(?:\.\d*)?|\.\d+)(?:([numkMGTPE]|[KMGTPE]i)|[eE]([+-]?\d{1,3}))?$/
const LENGTH_MAX = 32
const NANOS = 1_000_000_000n
/** Largest quantity: 2^63 − 1 units. */
const MOST = (2n ** 63n - 1n) * NANOS

const SUFFIXES = new Map<string, readonly [times: bigint, per: bigint]>([
  ['n', [1n, NANOS]],
  ['u', [1_000n, NANOS]],
  ['m', [1_000_000n, NANOS]],
  ...['k', 'M', 'G', 'T', 'P', 'E'].map(
    (suffix, index) => [suffix, [1_000n ** BigInt(index + 1), 1n]] as const,
  ),
  ...['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'].map(
    (suffix, index) => [suffix, [1_024n ** BigInt(index + 1), 1n]] as const,
  ),
])

/** In billionths, rounded up as Kubernetes does. `undefined` for text that is no quantity, is negative or too large. */
export function parseQuantity(text: string): bigint | undefined {
  if (text.length > LENGTH_MAX) return undefined
  const [, number, suffix = '', exponent = '0'] = QUANTITY.exec(text) ?? []
  if (number === undefined) return undefined
  const [whole = '', fraction = ''] = number.split('.')
  const [times, per] = SUFFIXES.get(suffix) ?? [1n, 1n]
  const shift = Number(exponent) - fraction.length
  const up = 10n ** BigInt(Math.max(0, shift))
  const down = 10n ** BigInt(Math.max(0, -shift)) * per
  const exact = BigInt(`${whole}${fraction}`) * times * up * NANOS
  const nanos = (exact + down - 1n) / down
  return nanos > MOST ? undefined : nanos
}

/** Requests above their limits. A missing request or limit is that of the overlay or, without one, of the base. */
export const resourceFaults = (
  overrides: Resources | undefined,
  overlay: Resources | undefined,
  base: Resources,
): readonly FieldError[] =>
  (['cpu', 'memory'] as const).flatMap((name) => {
    const quantityOf = (part: 'requests' | 'limits') =>
      parseQuantity(
        textOf(overrides?.[part]?.[name] ?? overlay?.[part]?.[name] ?? base[part]?.[name]),
      )
    const request = quantityOf('requests')
    const limit = quantityOf('limits')
    if (request === undefined || limit === undefined || request <= limit) return []
    const path = `/overlayConfig/resources/requests/${name}`
    const message =
      'must be at most the limit; one that is not given is the overlay’s or the base’s'
    return [{ path, rule: 'at_most_limit', message }]
  })

/** A file may have anything: as one text, lists that share their values are gigabytes. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''
