/**
 * What Bun alone takes for streams from an API server to a client: the peer of `cluster-portal.ts`, with its arguments and of
 * its answers what is resident.
 */
import { argv, memoryUsage } from 'node:process'

const [apiPort = '', pem = ''] = argv.slice(2)
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  idleTimeout: 0,
  async fetch({ signal }) {
    const { body } = await fetch(
      `https://127.0.0.1:${apiPort}/api/v1/namespaces/pods-5/pods?watch=true`,
      { tls: { ca: pem, rejectUnauthorized: true }, signal },
    )
    return new Response(body)
  },
})
console.log(JSON.stringify({ port: server.port, cookies: [], host: '127.0.0.1:8080' }))

for await (const line of console) {
  if (line === 'collect') Bun.gc(true)
  console.log(JSON.stringify({ residentMb: memoryUsage.rss() / 1e6 }))
}
