/**
 * The conformance suite of the Model Context Protocol against a demo: its scenarios of authorization servers, and those of servers. The
 * suite sends no tokens, so that a proxy adds one. It is too large to be a dependency.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { allowAtDemo, tokenAtDemo } from '#tests/support/demo-consent.ts'
import { freePort } from '#tests/support/free-port.ts'
import { startPortico } from '#tests/support/portico-process.ts'

const SUITE = ['bunx', '--bun', '@modelcontextprotocol/conformance@0.2.0-alpha.12']
const EXPECTED = join(import.meta.dir, 'expected-failures.yaml')

const folder = await mkdtemp(join(tmpdir(), 'portico-conformance-'))
const portal = await startPortico(['demo'], { PORT: '0', DATA_DIR: folder })
const resource = `${portal.url}/mcp`
const token = await tokenAtDemo(portal.url, 'manager', {
  scope: 'catalog:read clusters:read scaffold:write promotion:write',
  resource,
})
const proxy = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch(request) {
    const headers = new Headers(request.headers)
    headers.set('authorization', `Bearer ${token}`)
    // Its own names are those of the portal; others stay, and are refused.
    const own = [`localhost:${proxy.port}`, `127.0.0.1:${proxy.port}`]
    const { host } = new URL(portal.url)
    if (own.includes(headers.get('host') ?? '')) headers.set('host', host)
    if (own.some((name) => headers.get('origin') === `http://${name}`)) {
      headers.set('origin', portal.url)
    }
    return fetch(resource, { method: request.method, headers, body: request.body })
  },
})

/** Runs a part of the suite, and opens the page that it asks a person to open. */
async function run(...words: readonly string[]): Promise<boolean> {
  const child = Bun.spawn([...SUITE, ...words], { cwd: folder, stdout: 'pipe' })
  let printed = ''
  let isOpened = false
  const decoder = new TextDecoder()
  for await (const part of child.stdout) {
    const text = decoder.decode(part, { stream: true })
    process.stdout.write(text)
    printed += text
    const [page] = /http\S+\/oauth\/authorize\?\S+(?=\s)/.exec(printed) ?? []
    if (page === undefined || isOpened) continue
    isOpened = true
    await fetch(await allowAtDemo(portal.url, page, 'manager'))
  }
  return (await child.exited) === 0
}

const port = String(freePort())
const ofAuthorization = ['--client-id', 'portico', '--resource', resource, '--port', port]
const ofServer = ['--suite', 'all', '--expected-failures', EXPECTED]
const outcomes = [
  await run('authorization', '--url', portal.url, ...ofAuthorization),
  await run('server', '--url', `http://localhost:${proxy.port}/mcp`, ...ofServer),
]
await proxy.stop(true)
await portal[Symbol.asyncDispose]()
await rm(folder, { recursive: true, force: true })
process.exit(outcomes.every(Boolean) ? 0 : 1)
