import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { mustHaveAll } from '#tests/support/must-have-all.ts'
import { rawRequest, sendRaw } from '#tests/support/raw-http.ts'
import { type Folder, openFolder } from '#tests/support/open-folder.ts'
import { renderInto } from './rendered-template.ts'
import { freePort } from '#tests/support/free-port.ts'
import { type Server, startServer, succeed } from './template-process.ts'

const PROGRAM_MS = 30_000
const nginx = Bun.which('nginx', { PATH: `${process.env['PATH']}:/usr/sbin` })
if (nginx === null) console.warn('the static-site template is not served: there is no nginx')

/** The image does not run as root: a test that does runs nginx as user 65534. */
const asNobody =
  process.getuid?.() === 0
    ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--']
    : []

const YEAR = 'public, max-age=31536000, immutable'
const SECURITY = {
  'content-security-policy':
    "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'referrer-policy': 'strict-origin-when-cross-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

let folder: Folder
const here = () => ({ cwd: folder.path })
const at = (path: string) => join(folder.path, path)

/** The configuration of the image, with places and a port of this machine. */
async function adapt(port: number): Promise<string> {
  const changes = [
    [' /tmp/', ` ${at('tmp')}/`],
    ['listen 8080;', `listen 127.0.0.1:${port};`],
    ['root /srv/site;', `root ${at('site')};`],
    ['access_log /dev/stdout json;', `access_log ${at('tmp/access.log')} json;`],
  ] as const
  const text = changes.reduce(
    (text, [from, to]) => {
      if (!text.includes(from)) throw new Error(`nginx.conf does not say ${from}`)
      return text.replaceAll(from, to)
    },
    await Bun.file(at('nginx.conf')).text(),
  )
  await Bun.write(at('adapted.conf'), text)
  return at('adapted.conf')
}

const commandOf = (configuration: string, ...options: readonly string[]) => [
  ...asNobody,
  nginx ?? 'nginx',
  '-e',
  'stderr',
  '-c',
  configuration,
  ...options,
]

async function startAnother(): Promise<Server> {
  const port = freePort()
  // In the foreground, as the image starts it.
  return startServer(commandOf(await adapt(port), '-g', 'daemon off;'), { ...here(), port })
}

const portOf = ({ url }: Server) => Number(new URL(url).port)

describe.if(nginx !== null || mustHaveAll)('the static-site template in a real nginx', () => {
  let server: Server
  const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${server.url}${path}`, { headers, redirect: 'manual' })

  beforeAll(async () => {
    folder = await openFolder()
    await renderInto(folder.path, 'static-site')
    await mkdir(at('tmp'))
    await chmod(folder.path, 0o755)
    await chmod(at('tmp'), 0o777)
    await Bun.write(at('site/assets/app.3f9a1c2b.css'), 'p { color: teal }\n'.repeat(100))
    await Bun.write(at('site/docs/index.html'), '<title>Docs</title>')
    server = await startAnother()
  }, PROGRAM_MS)
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]()
    await folder[Symbol.asyncDispose]()
  })

  test('the configuration is correct, without a warning', async () => {
    const output = await succeed(commandOf(await adapt(freePort()), '-t'), here())
    expect(output).toContain('test is successful')
    expect(output).not.toContain('[')
  })

  // prettier-ignore
  test.each([
    ['/healthz',                     200, 'no-cache', 'text/plain; charset=utf-8', 'ok\n'],
    ['/',                            200, 'no-cache', 'text/html; charset=utf-8',  '<h1>null</h1>'],
    ['/assets/style.css',            200, 'no-cache', 'text/css; charset=utf-8',   'max-width'],
    ['/assets/app.3f9a1c2b.css',     200, YEAR,       'text/css; charset=utf-8',   'teal'],
    ['/assets/app.3f9a1c2b.css?v=2', 200, YEAR,       'text/css; charset=utf-8',   'teal'],
    ['/assets/app.00000000.css',     404, 'no-cache', 'text/html; charset=utf-8',  'Page not found'],
    ['/no/such/page',                404, 'no-cache', 'text/html; charset=utf-8',  'Page not found'],
    ['/404.html',                    404, 'no-cache', 'text/html; charset=utf-8',  'Page not found'],
    ['/assets/',                     403, 'no-cache', 'text/html; charset=utf-8',  'Forbidden'],
    ['/docs',                        301, 'no-cache', 'text/html',                 'Moved'],
  ])('%s is answered %i, %s', async (path, status, cacheControl, contentType, body) => {
    const response = await get(path)
    expect(await response.text()).toContain(body)
    const { headers } = response
    const named = Object.keys(SECURITY).map((name) => [name, headers.get(name)])
    expect({
      status: response.status,
      cacheControl: headers.get('cache-control'),
      contentType: headers.get('content-type'),
      server: headers.get('server'),
      security: Object.fromEntries(named),
    }).toStrictEqual({ status, cacheControl, contentType, server: 'nginx', security: SECURITY })
  })

  test.each(['/../nginx.conf', '/%2e%2e/nginx.conf', '/assets/../../nginx.conf'])(
    'there is no way out by %s',
    async (target) => {
      const { status } = await sendRaw(portOf(server), rawRequest('GET', target, { host: 'x' }))
      expect(status).toBe(400)
    },
  )

  test('its log has an object for each request, and none for a probe', async () => {
    // Only at its end is it certain to have written everything.
    const other = await startAnother()
    await sendRaw(portOf(other), rawRequest('GET', '/logged?"quoted"', { host: 'x' }))
    await other.end('SIGTERM')
    const lines = (await Bun.file(at('tmp/access.log')).text()).trim().split('\n')
    const requests = lines.map((line) => JSON.parse(line) as { path: string })
    const logged = { method: 'GET', path: '/logged?"quoted"', status: '404' }
    expect(requests.at(-1)).toMatchObject(logged)
    expect(requests.some(({ path }) => path.includes('healthz'))).toBe(false)
  })
})
