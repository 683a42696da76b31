const WORDS = [
  'gateway',
  'refund ledger',
  'idem',
  'ord ship',
  'stream batch report',
  'payment-order-1',
  'er',
  'zzz',
]
const OFFSETS = 1_000
const LIMIT = 20

/** The next full text to search for. None occurs twice in any round, so that no cached answer helps. */
export function searchOf(index: number, round: number) {
  const turn = Math.floor(index / WORDS.length)
  return {
    // White space around a text makes another query with the same answer.
    q: `${WORDS[index % WORDS.length]}${' '.repeat(round)}`,
    limit: LIMIT + Math.floor(turn / OFFSETS),
    offset: turn % OFFSETS,
  }
}
