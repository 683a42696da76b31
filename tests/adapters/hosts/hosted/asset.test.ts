import { describe, expect, test } from 'bun:test'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AssetRequest, openAssetOverHttp } from '#src/lib/adapters/hosts/hosted/api/asset.ts'
import { bytesOf, sha256Of } from '#tests/support/assets.ts'
import { makeAuthority } from '#tests/support/certificates.ts'

const authority = await makeAuthority()
const tls = await authority.issue()
/** Authority of the storage hosts, which the system trusts. */
const another = await makeAuthority()
const anothersTls = await another.issue()
const ASSET = bytesOf(200_000)
const SECRETS = { authorization: 'Bearer secret', 'private-token': 'secret' }
const { signal: never } = new AbortController()

type Respond = (request: Request) => Response | Promise<Response>

/** An https host and the headers of its requests. */
function startHost(respond: Respond = () => new Response(ASSET), certificate = tls) {
  const got: Headers[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    tls: certificate,
    fetch(request) {
      got.push(request.headers)
      return respond(request)
    },
  })
  return {
    url: new URL('/asset', `https://127.0.0.1:${server.port}`),
    got,
    [Symbol.asyncDispose]: () => server.stop(true),
  }
}

const redirect =
  (location: string | URL, status = 302) =>
  () =>
    new Response(null, { status, headers: { location: String(location) } })

/** The same listener under another name. */
const elsewhere = ({ url }: { readonly url: URL }) =>
  new URL(url.href.replace(url.hostname, 'localhost'))

const open = (url: URL, more: Partial<AssetRequest> = {}) =>
  openAssetOverHttp({ url, headers: SECRETS, authority: authority.pem, ...more }, never)

async function read(url: URL, more: Partial<AssetRequest> = {}) {
  const opened = await open(url, more)
  if (!opened.ok) return opened.error
  return Buffer.from(await new Response(opened.value).bytes()).equals(Buffer.from(ASSET))
}

const hostError = (reason: string) => ({ kind: 'git_host_error' as const, reason })

describe('the bytes of an asset', () => {
  test('as the host has them, requested with its credentials', async () => {
    await using host = startHost()
    expect(await read(host.url)).toBe(true)
    expect(host.got[0]?.get('authorization')).toBe('Bearer secret')
    expect(host.got[0]?.get('accept')).toBe('application/octet-stream')
  })

  test('are not decoded: what is packed is the asset', async () => {
    const packed = Bun.gzipSync(ASSET)
    await using host = startHost(
      () => new Response(packed, { headers: { 'content-encoding': 'gzip' } }),
    )
    const opened = await open(host.url)
    if (!opened.ok) throw new Error(opened.error.kind)
    expect(Buffer.from(await new Response(opened.value).bytes()).equals(packed)).toBe(true)
    expect(host.got[0]?.get('accept-encoding')).toBe('identity')
  })

  test('a redirect within the host keeps them', async () => {
    await using host = startHost((request) =>
      request.url.endsWith('/asset') ? redirect('/elsewhere')() : new Response(ASSET),
    )
    expect(await read(host.url)).toBe(true)
    expect(host.got[1]?.get('private-token')).toBe('secret')
  })
})

describe('where a redirect leads', () => {
  /** Opens in a process whose system trusts another authority. */
  async function openTrusting(system: string, { url }: { readonly url: URL }) {
    const scratch = await mkdtemp(join(tmpdir(), 'portico-authorities-'))
    const [ofSystem, ofHost] = [join(scratch, 'system.pem'), join(scratch, 'host.pem')]
    await writeFile(ofSystem, system)
    await writeFile(ofHost, authority.pem)
    const peer = new URL('../../../peers/open-asset.ts', import.meta.url).pathname
    const child = Bun.spawn([process.execPath, peer, url.href, ofHost], {
      env: { ...process.env, NODE_EXTRA_CA_CERTS: ofSystem },
      stdout: 'pipe',
      stderr: 'inherit',
    })
    const printed = await child.stdout.text()
    await rm(scratch, { recursive: true })
    return printed.trim()
  }
  test.each([301, 302, 303, 307, 308])('%i is followed', async (status) => {
    await using store = startHost(undefined, anothersTls)
    await using host = startHost(redirect(`${elsewhere(store).href}?signature=x`, status))
    expect<string>(await openTrusting(another.pem, host)).toBe(sha256Of(ASSET))
  })

  test('no credential goes to another host, nor back with one', async () => {
    await using host = startHost((request) =>
      request.url.endsWith('?again') ? new Response(ASSET) : redirect(elsewhere(store))(),
    )
    await using store = startHost(redirect(`${host.url.href}?again`), anothersTls)
    expect<string>(await openTrusting(another.pem, host)).toBe(sha256Of(ASSET))
    for (const name of Object.keys(SECRETS)) {
      expect(store.got[0]?.get(name)).toBeNull()
      expect(host.got[0]?.get(name)).not.toBeNull()
    }
  })

  test('the authority of the host vouches for hosts below its name', async () => {
    const named = await authority.issue(['localhost', 'media.localhost'])
    await using store = startHost(undefined, named)
    await using host = startHost(redirect(`https://media.localhost:${store.url.port}/`), named)
    const url = new URL(`https://localhost:${host.url.port}/asset`)
    expect(await read(url)).toBe(true)
    expect(store.got[0]?.get('authorization')).toBeNull()
  })

  test('beside a host on this machine, this machine needs no TLS', async () => {
    using store = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response(ASSET) })
    using host = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: redirect(store.url) })
    expect(await read(host.url)).toBe(true)
  })

  test('the authority of the host vouches for nobody else', async () => {
    await using store = startHost()
    await using host = startHost(redirect(elsewhere(store)))
    const { origin } = new URL(elsewhere(store))
    expect(await read(host.url)).toMatchObject({
      kind: 'git_host_unreachable',
      reason: expect.stringContaining(`the certificate of ${origin} `),
    })
    expect([host.got.length, store.got.length]).toStrictEqual([1, 0])
    expect(await openTrusting(another.pem, host)).toBe('git_host_unreachable')
  })
})

describe('a redirect is refused', () => {
  test.each([
    [
      'to an address',
      'https://169.254.169.254/latest',
      'a redirect to a host that cannot be storage',
    ],
    ['away from TLS', 'http://127.0.0.1:1/', 'a redirect to a host that cannot be storage'],
    ['to a file', 'file:///etc/passwd', 'a redirect to a host that cannot be storage'],
    ['with credentials', 'https://user:secret@127.0.0.1:1/', 'a redirect with credentials'],
    ['to no place', 'https://', 'a redirect without a target'],
  ])('%s', async (_, location, reason) => {
    await using host = startHost(redirect(location))
    expect(await read(host.url)).toStrictEqual(hostError(reason))
    expect(host.got).toHaveLength(1)
  })

  test('without a place', async () => {
    await using host = startHost(() => new Response(null, { status: 302 }))
    expect(await read(host.url)).toStrictEqual(hostError('a redirect without a target'))
  })

  test('when it is one of very many', async () => {
    await using host = startHost((request) => redirect(request.url)())
    expect(await read(host.url)).toStrictEqual(hostError('too many redirects'))
    expect(host.got).toHaveLength(6)
  })
})

describe('what the host says instead', () => {
  test.each([
    [404, {}, { kind: 'git_not_found', what: 'asset' }],
    [410, {}, { kind: 'git_not_found', what: 'asset' }],
    [401, {}, { kind: 'git_denied', what: 'the credentials were refused' }],
    [403, {}, { kind: 'git_denied', what: 'the asset' }],
    [403, { 'retry-after': '7' }, { kind: 'git_rate_limited', retryAfterSeconds: 7 }],
    [429, {}, { kind: 'git_rate_limited', retryAfterSeconds: 60 }],
    [429, { 'retry-after': 'soon' }, { kind: 'git_rate_limited', retryAfterSeconds: 60 }],
    [429, { 'retry-after': '1e300' }, { kind: 'git_rate_limited', retryAfterSeconds: 60 }],
    [429, { 'retry-after': '99999999' }, { kind: 'git_rate_limited', retryAfterSeconds: 86_400 }],
    [503, { 'retry-after': '600' }, { kind: 'git_host_unreachable' }],
    [500, {}, hostError('the asset was answered with 500')],
    [204, {}, hostError('the asset was answered with 204')],
    [206, {}, hostError('the asset was answered with 206')],
  ] as const)('%i %o', async (status, headers, failure) => {
    await using host = startHost(
      () => new Response(status === 204 ? null : 'x', { status, headers }),
    )
    expect(await read(host.url)).toMatchObject(failure)
  })

  test('nothing: the host does not answer, or has the wrong certificate', async () => {
    const stopped = startHost()
    await stopped[Symbol.asyncDispose]()
    expect(await read(stopped.url)).toMatchObject({ kind: 'git_host_unreachable' })
    await using host = startHost()
    const { pem } = await makeAuthority()
    expect(await read(host.url, { authority: pem })).toMatchObject({ kind: 'git_host_unreachable' })
    expect(host.got).toHaveLength(0)
  })

  test('nothing for too long', async () => {
    await using host = startHost(() => new Promise(() => {}))
    expect(await read(host.url, { timeoutMs: 50 })).toStrictEqual({ kind: 'git_host_timeout' })
  })

  test('its bytes, as slowly as it likes', async () => {
    await using host = startHost(() => {
      const halves = [ASSET.subarray(0, 100_000), ASSET.subarray(100_000)]
      return new Response(
        new ReadableStream({
          async pull(controller) {
            await Bun.sleep(1_100)
            const half = halves.shift()
            if (half === undefined) controller.close()
            else controller.enqueue(half)
          },
        }),
      )
    })
    expect(await read(host.url, { timeoutMs: 3_000 })).toBe(true)
  })
})

test('the signal ends the stream, and the connection', async () => {
  const left = Promise.withResolvers<void>()
  await using host = startHost((request) => {
    request.signal.addEventListener('abort', () => left.resolve())
    return new Response(new ReadableStream({ start: (controller) => controller.enqueue(ASSET) }))
  })
  const stop = new AbortController()
  const opened = await openAssetOverHttp(
    { url: host.url, headers: {}, authority: authority.pem },
    stop.signal,
  )
  if (!opened.ok) throw new Error(opened.error.kind)
  const reader = opened.value.getReader()
  await reader.read()
  stop.abort()
  const ended = (async () => {
    while (!(await reader.read()).done);
  })()
  expect(
    await ended.then(
      () => 'ended',
      () => 'broke off',
    ),
  ).toBe('broke off')
  await left.promise
})

test('a connection that is cut is not an end', async () => {
  const server = Bun.listen({
    port: 0,
    hostname: '127.0.0.1',
    socket: {
      data(socket) {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nonly this')
        socket.end()
      },
    },
  })
  const opened = await open(new URL(`http://127.0.0.1:${server.port}/asset`))
  if (!opened.ok) throw new Error(opened.error.kind)
  expect(
    await new Response(opened.value).bytes().then(
      () => 'complete',
      () => 'broke off',
    ),
  ).toBe('broke off')
  server.stop(true)
})
