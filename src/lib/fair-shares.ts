/**
 * Divides whole units so that nobody's share suffers from another's demand: everybody gets what they ask for up to the same limit,
 * and what the small leave is for the large (max-min fairness). Of equals the first gets the unit that cannot be divided.
 */
export function fairShares(demands: readonly number[], capacity: number): readonly number[] {
  const shares = demands.map(() => 0)
  let left = capacity
  const ascending = [...demands.entries()].toSorted(
    ([index, one], [otherIndex, other]) => one - other || otherIndex - index,
  )
  for (const [position, [index, demand]] of ascending.entries()) {
    const share = Math.min(demand, Math.floor(left / (ascending.length - position)))
    shares[index] = share
    left -= share
  }
  return shares
}
