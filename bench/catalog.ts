/**
 * The catalog at its design size and above, on the embedded git host, with the real process.
 * `bun bench/catalog.ts [entities…]` (default 1000 10000 50000)
 */
import {
  createInstallation,
  median,
  percentile,
  startPortico,
  untilComplete,
  wrk,
} from './support/installation.ts'

const sizes = process.argv.slice(2).map(Number)
const PORT = 4182
const STARTS = 5
const CHANGES = 15
const SEARCHES = 1_000
const WARM_UP = 300
const ROUNDS = 5

const LIST = '/api/v1/catalog/entities'

for (const size of sizes.length > 0 ? sizes : [1_000, 10_000, 50_000]) {
  console.log(`\n${size} entities`)
  const installation = await createInstallation(size)
  const report = (what: string, value: string) => console.log(`  ${what.padEnd(58)} ${value}`)

  const alive: number[] = []
  const complete: number[] = []
  for (let start = 0; start < STARTS; start++) {
    const portico = await startPortico(installation, PORT)
    alive.push((await untilComplete(() => fetch(`${portico.url}/healthz`), portico.startedAt)).ms)
    await portico.stop()
    const again = await startPortico(installation, PORT)
    complete.push((await untilComplete(() => again.get(LIST), again.startedAt)).ms)
    await again.stop()
  }
  report(
    'process start to healthz, ms (median, worst)',
    `${median(alive).toFixed(0)}, ${Math.max(...alive).toFixed(0)}`,
  )
  report(
    'process start to first complete list, ms (median, worst)',
    `${median(complete).toFixed(0)}, ${Math.max(...complete).toFixed(0)}`,
  )

  const portico = await startPortico(installation, PORT)
  const { bytes } = await untilComplete(() => portico.get(LIST), portico.startedAt)
  await Bun.sleep(2_000)
  report('whole list, MB', (bytes / 1e6).toFixed(2))
  report('resident after the load, MB', (await portico.residentMegabytes()).toFixed(0))

  const changed: number[] = []
  const file = installation.files.at(Math.floor(size / 2))
  const name = file?.path.split('/').at(-1)?.replace('.yaml', '') ?? ''
  const kind = file?.path.split('/').at(1) ?? ''
  for (let change = 0; change < CHANGES; change++) {
    const marker = `changed-${change}-${Date.now()}`
    await installation.commit([
      {
        path: file?.path ?? '',
        text: file?.text.replace('apiVersion:', `marker: ${marker}\napiVersion:`) ?? '',
      },
    ])
    await portico.refresh()
    const since = performance.now()
    const entity = await (await portico.get(`${LIST}/${kind}/${name}`)).text()
    changed.push(performance.now() - since)
    if (!entity.includes(marker)) throw new Error('an old entity was served')
    await Bun.sleep(50)
  }
  report(
    'one changed file served after the 204, ms (median, worst)',
    `${median(changed).toFixed(1)}, ${Math.max(...changed).toFixed(1)}`,
  )

  const words =
    'gateway,refund ledger,idem,ord ship,stream batch report,payment-order-1,er,zzz'.split(',')
  const searched: number[] = []
  for (let search = -WARM_UP; search < SEARCHES; search++) {
    // Each asks for something that nobody has asked for before, so that no kept answer helps.
    const term = words[(search + WARM_UP) % words.length] ?? ''
    const path = `${LIST}?q=${encodeURIComponent(term)}&limit=20&offset=${search + WARM_UP}`
    const since = performance.now()
    await (await portico.get(path)).arrayBuffer()
    if (search >= 0) searched.push(performance.now() - since)
  }
  report(
    'full text over HTTP, ms (p50, p99)',
    `${percentile(searched, 0.5).toFixed(2)}, ${percentile(searched, 0.99).toFixed(2)}`,
  )

  const { cookie } = installation
  const single = `${portico.url}${LIST}/${kind}/${name}`
  for (const connections of [1, 16]) {
    const alone: number[] = []
    const beside: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      alone.push((await wrk(single, { cookie, connections, seconds: 2 })).p99Ms)
      const reader = readAgainAndAgain(`${portico.url}${LIST}`, cookie)
      beside.push((await wrk(single, { cookie, connections, seconds: 2 })).p99Ms)
      await reader.stop()
    }
    const [before, after] = [median(alone), median(beside)]
    report(
      `single entity, p99 at c=${connections}, ms (alone, beside a list reader)`,
      `${before.toFixed(2)}, ${after.toFixed(2)} = ${(after / before).toFixed(1)} ×`,
    )
  }
  report('resident at the end, MB', (await portico.residentMegabytes()).toFixed(0))
  await portico.stop()

  const sampled = await startPortico(installation, PORT, { sampled: true })
  await untilComplete(() => sampled.get(LIST), sampled.startedAt)
  await Bun.sleep(2_000)
  const quiet: number[] = []
  const during: number[] = []
  const took: number[] = []
  for (let refresh = 0; refresh < ROUNDS; refresh++) {
    await installation.commit(
      installation.files.map(({ path, text }) => ({ path, text: `${text}# again ${refresh}\n` })),
    )
    await sampled.refresh()
    await Bun.sleep(500)
    await sampled.longestStallMs()
    await Bun.sleep(1_000)
    quiet.push(await sampled.longestStallMs())
    const since = performance.now()
    await (await sampled.get(`${LIST}?limit=1`)).arrayBuffer()
    took.push(performance.now() - since)
    during.push(await sampled.longestStallMs())
  }
  report('full refresh, every file changed, ms (median)', median(took).toFixed(0))
  report(
    'longest stall of the event loop, ms (quiet; refresh: median, worst)',
    `${median(quiet).toFixed(1)}; ${median(during).toFixed(1)}, ${Math.max(...during).toFixed(1)}`,
  )
  report('resident after the refreshes, MB', (await sampled.residentMegabytes()).toFixed(0))
  await sampled.stop()
  await installation.remove()
}

/** In other processes, and the load too: here, taking in megabytes would hold the loop that measures. */
function readAgainAndAgain(url: string, cookie: string) {
  const stop = new AbortController()
  const reading = (async () => {
    while (!stop.signal.aborted) {
      const run = Bun.spawn(['curl', '-sf', '-o', '/dev/null', '-H', `Cookie: ${cookie}`, url])
      if ((await run.exited) !== 0) throw new Error('the list was not answered')
      await Bun.sleep(100)
    }
  })()
  return {
    async stop() {
      stop.abort()
      await reading
    },
  }
}
