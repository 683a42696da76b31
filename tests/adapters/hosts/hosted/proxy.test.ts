import { expect, test } from 'bun:test'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { answers, startRawHost } from '#tests/peers/raw-host.ts'
import { makeAuthority } from '#tests/support/certificates.ts'
import { listenOn } from '#tests/support/listen-on.ts'

const authority = await makeAuthority()
const certificate = await authority.issue(['git.test', '127.0.0.1'])

/** A proxy that opens tunnels (RFC 9110 §9.3.6), all of them to one port of this machine, or refuses to. */
async function startProxy(target: number | null) {
  const heads: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    sockets.add(near)
    near.on('error', () => near.destroy())
    near.once('data', (head: Buffer) => {
      heads.push(head.toString('latin1'))
      if (target === null)
        return void near.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
      const far = connect(target, '127.0.0.1', () => {
        near.write('HTTP/1.1 200 Connection established\r\n\r\n')
        near.pipe(far)
        far.pipe(near)
      })
      sockets.add(far)
      far.on('error', () => near.destroy())
    })
  })
  const port = await listenOn(server, '127.0.0.1')
  return {
    url: `http://127.0.0.1:${port}`,
    heads,
    [Symbol.dispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

/** Reads in a process of its own: Bun takes the proxy from the environment of its process. */
async function readWith(
  environment: Readonly<Record<string, string>>,
  root: string,
): Promise<unknown> {
  const scratch = await mkdtemp(join(tmpdir(), 'portico-proxy-'))
  const file = join(scratch, 'authority.pem')
  await writeFile(file, authority.pem)
  const peer = new URL('../../../peers/read-from-host.ts', import.meta.url).pathname
  const child = Bun.spawn([process.execPath, peer, root, file], {
    env: { PATH: Bun.env['PATH'] ?? '', ...environment },
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const printed = await child.stdout.text()
  await rm(scratch, { recursive: true })
  return JSON.parse(printed)
}

test('the proxy of the environment gets a tunnel to open, and neither request nor credentials', async () => {
  using host = await startRawHost(answers({ json: 'through' }), certificate)
  using proxy = await startProxy(host.port)
  expect(await readWith({ HTTPS_PROXY: proxy.url }, 'https://git.test')).toBe('through')
  expect(proxy.heads).toHaveLength(1)
  expect(proxy.heads[0]).toStartWith('CONNECT git.test:443 HTTP/1.1\r\n')
  expect(proxy.heads[0]).not.toContain('secret')
  expect(host.requests[0]?.headers.get('authorization')).toBe('Bearer secret')
})

test('NO_PROXY goes past it', async () => {
  using host = await startRawHost(answers({ json: 'past' }), certificate)
  using proxy = await startProxy(host.port)
  const environment = { HTTPS_PROXY: proxy.url, NO_PROXY: '127.0.0.1' }
  expect(await readWith(environment, host.url)).toBe('past')
  expect(proxy.heads).toHaveLength(0)
})

test('a proxy that refuses is a host that cannot be reached', async () => {
  using proxy = await startProxy(null)
  expect(await readWith({ HTTPS_PROXY: proxy.url }, 'https://git.test')).toStrictEqual({
    kind: 'git_host_unreachable',
    reason: 'there is no connection to https://git.test (ERR_PROXY_TUNNEL)',
  })
})
