/**
 * `bun one-client.ts URL COOKIE SECONDS ROUND` searches for one full text after the other, and prints the duration of each answer
 * in milliseconds, as JSON.
 */
import { searchOf } from './searches.ts'

const [url = '', cookie = '', seconds = '', round = ''] = process.argv.slice(2)

const headers = { cookie, 'accept-encoding': 'identity' }
const took: number[] = []
const end = performance.now() + Number(seconds) * 1_000
while (performance.now() < end) {
  const { q, limit, offset } = searchOf(took.length, Number(round))
  const since = performance.now()
  const response = await fetch(
    `${url}?q=${encodeURIComponent(q)}&limit=${limit}&offset=${offset}`,
    { headers },
  )
  await response.arrayBuffer()
  took.push(performance.now() - since)
  if (!response.ok) throw new Error(`${url} answered ${response.status}`)
}
console.log(JSON.stringify(took))
