/**
 * `bun one-client.ts URL COOKIE SECONDS ROUND` asks for one full text after the other, and prints as JSON how many milliseconds each
 * answer took. Nothing is asked twice, in this round or another, so that no kept answer helps.
 */
const [url = '', cookie = '', seconds = '', round = ''] = process.argv.slice(2)

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

const headers = { cookie, 'accept-encoding': 'identity' }
const took: number[] = []
const end = performance.now() + Number(seconds) * 1_000
for (let asked = 0; performance.now() < end; asked++) {
  const turn = Math.floor(asked / WORDS.length)
  // White space around a text is another question with the same answer.
  const q = encodeURIComponent(`${WORDS[asked % WORDS.length]}${' '.repeat(Number(round))}`)
  const page = `limit=${LIMIT + Math.floor(turn / OFFSETS)}&offset=${turn % OFFSETS}`
  const since = performance.now()
  const response = await fetch(`${url}?q=${q}&${page}`, { headers })
  await response.arrayBuffer()
  took.push(performance.now() - since)
  if (!response.ok) throw new Error(`${url} answered ${response.status}`)
}
console.log(JSON.stringify(took))
