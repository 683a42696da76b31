import type { Problem } from '../../../api/result.ts'
import type { SecretRow } from './request.ts'

export const SECRETS = '/overlayConfig/secrets'

/** Mistakes of the rows themselves, by their ids. A request could not tell: it has each name once. */
export function faultyRows(rows: readonly SecretRow[]): ReadonlyMap<number, string> {
  const faults = new Map<number, string>()
  const names = new Set<string>()
  for (const { id, key, value } of rows) {
    if (key === '' && value !== '') faults.set(id, 'must have a name, such as STRIPE_KEY')
    else if (names.has(key)) faults.set(id, 'has the name of another one')
    if (key !== '') names.add(key)
  }
  return faults
}

/** The errors of the rows: their own faults, and what the server says about a name. */
export function secretErrors(
  rows: readonly SecretRow[],
  problem: Problem | undefined,
): ReadonlyMap<number, string> {
  const errors = new Map<number, string>()
  for (const { id, key } of rows) {
    const told = problem?.errors?.find(({ path }) => path === `${SECRETS}/${key}`)
    const isThere = problem?.code === 'secret_exists' && problem.keys?.includes(key) === true
    if (key !== '' && told !== undefined) errors.set(id, told.message)
    else if (key !== '' && isThere) errors.set(id, 'is there already')
  }
  return new Map([...errors, ...faultyRows(rows)])
}
