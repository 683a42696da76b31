/** Levenshtein's distance, or infinity as soon as it is known to be more than `max`. */
export function editDistance(from: string, to: string, max: number): number {
  if (Math.abs(from.length - to.length) > max) return Number.POSITIVE_INFINITY
  let row = Array.from({ length: from.length + 1 }, (_, index) => index)
  for (let j = 1; j <= to.length; j++) {
    const next = [j]
    for (let i = 1; i <= from.length; i++) {
      const isSame = from.charCodeAt(i - 1) === to.charCodeAt(j - 1)
      const substituted = at(row, i - 1) + (isSame ? 0 : 1)
      next.push(Math.min(substituted, at(row, i) + 1, at(next, i - 1) + 1))
    }
    if (Math.min(...next) > max) return Number.POSITIVE_INFINITY
    row = next
  }
  return at(row, from.length)
}

const at = (row: readonly number[], index: number): number => row[index] ?? 0
