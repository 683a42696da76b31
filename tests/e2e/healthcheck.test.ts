import { describe, expect, test } from 'bun:test'
import { freePort } from '#tests/support/free-port.ts'
import { runPortico, spawnPortico } from '#tests/support/portico-process.ts'

const healthcheck = (variables: Readonly<Record<string, string>>) =>
  runPortico(['healthcheck'], { HOST: '127.0.0.1', ...variables })

const serve = (answer: (request: Request) => Response) =>
  Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: answer })

const ours = () => Response.json({ status: 'ok' })
const portOf = (server: { readonly url: URL }) => ({ PORT: server.url.port })

/** All environment variables that name a proxy. */
const proxiesAt = ({ url }: { readonly url: URL }) => ({
  HTTP_PROXY: url.origin,
  http_proxy: url.origin,
  ALL_PROXY: url.origin,
  all_proxy: url.origin,
  NODE_USE_ENV_PROXY: '1',
})

describe('the health check', () => {
  test('asks no proxy', async () => {
    using service = serve(ours)
    using fine = serve(ours)
    using broken = serve(() => new Response('no', { status: 502 }))
    const dead = await healthcheck({ PORT: String(freePort()), ...proxiesAt(fine) })
    expect([dead.exitCode, dead.stderr]).toStrictEqual([
      1,
      'portico: the service does not answer\n',
    ])
    const alive = await healthcheck({ ...portOf(service), ...proxiesAt(broken) })
    expect([alive.exitCode, alive.stdout, alive.stderr]).toStrictEqual([0, '', ''])
  })

  test('asks for /healthz, where the service listens', async () => {
    const asked: string[] = []
    using service = serve(({ method, url }) => {
      asked.push(`${method} ${new URL(url).pathname}`)
      return ours()
    })
    for (const HOST of ['0.0.0.0', '::', '127.0.0.1']) {
      expect((await healthcheck({ HOST, ...portOf(service) })).exitCode).toBe(0)
    }
    expect(asked).toStrictEqual(['GET /healthz', 'GET /healthz', 'GET /healthz'])
  })

  test.each([
    ['a redirect', (to: string) => Response.redirect(to)],
    ['a page', () => new Response('<html>')],
    ['a failure', () => Response.json({ status: 'ok' }, { status: 503 })],
    ['more than what it says', () => new Response(`{"status":"ok"}${' '.repeat(100)}`)],
  ])('takes %s of somebody else for no answer', async (_, answer) => {
    using service = serve(ours)
    using other = serve(() => answer(`${service.url.origin}/healthz`))
    expect((await healthcheck(portOf(other))).exitCode).toBe(1)
  })

  test('is ended by a signal, as every command that does not serve', async () => {
    const asked = Promise.withResolvers<void>()
    using silent = Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: { data: () => asked.resolve() },
    })
    const variables = { HOST: '127.0.0.1', PORT: String(silent.port) }
    const { child, end } = spawnPortico(['healthcheck'], variables)
    await asked.promise
    await end('SIGTERM')
    expect(child.signalCode).toBe('SIGTERM')
  })

  test('does not wait for ever', async () => {
    using silent = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
    expect((await healthcheck({ PORT: String(silent.port) })).exitCode).toBe(1)
  })
})
