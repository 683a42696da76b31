/**
 * A server with a run that never ends, to measure the cost of its readers. Argument: port. For each line of input it prints its
 * resident memory.
 */
import { createRunEvents } from '#src/lib/domain/runs/events.ts'
import { eventStream } from '#src/lib/http/sse.ts'
import { RunId } from '#src/lib/names.ts'
import type { RunRow } from '#src/lib/ports/database/runs.ts'
import { ok } from '#src/lib/result.ts'

const [port] = process.argv.slice(2)
const id = RunId.of(Bun.randomUUIDv7())
const run: RunRow = {
  id,
  kind: 'project',
  status: 'running',
  issuer: 'i',
  subject: 's',
  team: 'payments',
  about: 'acme/shop',
  request: '{}',
  state: '{}',
  requestHash: '',
  idempotencyKey: null,
  createdAt: 0,
  finishedAt: null,
  attempts: 1,
}
const events = createRunEvents({
  store: { find: () => Promise.resolve(ok(run)), events: () => Promise.resolve(ok([])) },
  onBug: (_, bug) => console.error(bug),
})
const { signal: stopping } = new AbortController()

Bun.serve({
  port: Number(port),
  hostname: '127.0.0.1',
  idleTimeout: 120,
  fetch: () => eventStream((signal) => events.follow(id, 0, signal), { stopping }),
})
console.log('ready')
for await (const _ of console) {
  Bun.gc(true)
  console.log(process.memoryUsage.rss() / 1e6)
}
