import { X509Certificate } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { keepCertificates } from '#src/lib/demo/clusters/authority.ts'
import { writeKubeconfig } from '#src/lib/demo/clusters/kubeconfig.ts'
import { clusters } from '#src/lib/demo/clusters/workloads/clusters.ts'
import { createSimulatedCluster } from '#src/lib/demo/clusters/simulated-cluster.ts'
import { authenticate } from './open-simulation.ts'

const DAY_MS = 86_400_000
setDefaultTimeout(30_000)
const now = Date.now()

let directory = ''
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'portico-certificates-'))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

async function keep(at = now, id = 'dev-east') {
  const { authority, serverOf } = await keepCertificates(join(directory, 'tls'), at)
  return { authority, server: await serverOf(id) }
}

describe('certificates', () => {
  test('are signed by the authority for the loopback interface and the cluster', async () => {
    const { authority, server } = await keep()
    const issuer = new X509Certificate(authority)
    const certificate = new X509Certificate(server.certificate)
    expect(issuer.ca).toBe(true)
    expect(certificate.ca).toBe(false)
    expect(certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)).toBe(true)
    expect(certificate.subjectAltName).toBe('IP Address:127.0.0.1, DNS:localhost, DNS:dev-east')
    expect(certificate.publicKey.asymmetricKeyDetails).toMatchObject({ namedCurve: 'prime256v1' })
    expect(Date.parse(certificate.validTo) - now).toBeWithin(390 * DAY_MS, 398 * DAY_MS)
    expect(Date.parse(certificate.validFrom)).toBeLessThan(now)
  })

  test('are kept, and only for their owner', async () => {
    const first = await keep()
    expect(await keep(now + 300 * DAY_MS)).toStrictEqual(first)
    const tls = join(directory, 'tls')
    expect((await readdir(tls)).toSorted()).toStrictEqual(['authority.pem', 'dev-east.pem'])
    const modes = await Promise.all(
      ['', 'authority.pem', 'dev-east.pem'].map(
        async (name) => (await stat(join(tls, name))).mode & 0o777,
      ),
    )
    expect(modes).toStrictEqual([0o700, 0o600, 0o600])
  })

  test('are made anew a month before they are over', async () => {
    const first = await keep()
    const later = await keep(now + 368 * DAY_MS)
    expect(later.authority).toBe(first.authority)
    expect(later.server).not.toStrictEqual(first.server)
    const last = await keep(now + 701 * DAY_MS)
    expect(last.authority).not.toBe(first.authority)
  })

  const damage: Readonly<Record<string, (path: string) => Promise<unknown>>> = {
    'are gone': (path) => rm(path),
    'are empty': (path) => writeFile(path, ''),
    'are none': (path) =>
      writeFile(
        path,
        '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n',
      ),
    'belong to another cluster': async (path) => {
      await keep(now, 'prod-west')
      await writeFile(path, await readFile(join(directory, 'tls', 'prod-west.pem')))
    },
    'have the key of another one': async (path) => {
      const { server } = await keep(now, 'prod-west')
      const text = await readFile(path, 'utf8')
      await writeFile(path, `${text.slice(0, text.indexOf('-----BEGIN PRIVATE'))}${server.key}`)
    },
    'have lost their authority': () => rm(join(directory, 'tls', 'authority.pem')),
  }
  test.each(Object.entries(damage))('are made anew when they %s', async (_, act) => {
    const first = await keep()
    await act(join(directory, 'tls', 'dev-east.pem'))
    const { authority, server } = await keep()
    expect(server).not.toStrictEqual(first.server)
    const certificate = new X509Certificate(server.certificate)
    expect(certificate.verify(new X509Certificate(authority).publicKey)).toBe(true)
    expect(certificate.checkHost('dev-east')).toBe('dev-east')
  })

  test('load the library only to make one', async () => {
    await keep()
    const program = `
      const { keepCertificates } = await import(${JSON.stringify(import.meta.resolve('#src/lib/demo/clusters/authority.ts'))})
      const { serverOf } = await keepCertificates(${JSON.stringify(join(directory, 'tls'))}, Date.now())
      await serverOf('dev-east')
      console.log('getMetadata' in Reflect)
    `
    const child = Bun.spawn([process.execPath, '-e', program], { stdout: 'pipe' })
    expect(await new Response(child.stdout).text()).toBe('false\n')
  })
})

describe('an API server over TLS', () => {
  const open = async () => {
    const { authority, server } = await keep()
    const cluster = createSimulatedCluster({
      id: 'dev-east',
      ...server,
      namespaces: clusters['dev-east'],
      authenticate,
      onBug: (error) => {
        throw error
      },
    })
    const ask = (path: string, tls: object = { ca: authority }, signal?: AbortSignal) =>
      fetch(`${cluster.url}${path}`, {
        tls,
        headers: { authorization: 'Bearer dev' },
        ...(signal && { signal }),
      })
    return { cluster, ask, [Symbol.asyncDispose]: () => cluster.close() }
  }
  const WATCH = '/api/v1/namespaces/payments-dev/pods?watch=true&resourceVersion=99999999999999'

  test('is trusted by its authority and by nothing else', async () => {
    await using server = await open()
    expect((await server.ask('/readyz')).status).toBe(200)
    const other = await keepCertificates(join(directory, 'other'), now)
    for (const tls of [{}, { ca: other.authority }]) {
      expect(server.ask('/readyz', tls)).rejects.toMatchObject({
        code: expect.stringMatching(/CERT|SIGNATURE/),
      })
    }
    const serverName = await server
      .ask('/readyz', { ca: (await keep()).authority, serverName: 'prod-west' })
      .catch((error: unknown) => error)
    expect(serverName).toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' })
  })

  test('answers a watch at once, though nothing happens', async () => {
    await using server = await open()
    const answer = await server.ask(WATCH, undefined, AbortSignal.timeout(10_000))
    expect(answer.status).toBe(200)
    await answer.body?.cancel()
  })

  test('gives the place of a client that has left to another one', async () => {
    await using server = await open()
    const come = async () => {
      const controller = new AbortController()
      const { status } = await server.ask(WATCH, undefined, controller.signal)
      controller.abort()
      return status
    }
    for (let client = 0; client < 250; client++) {
      // That somebody has left is heard a moment later.
      while ((await come()) !== 200) await Bun.sleep(20)
    }
  })

  test('ends its watches when it is closed', async () => {
    const server = await open()
    const answer = await server.ask(WATCH)
    const rest = answer.text().catch(() => '')
    await server.cluster.close()
    expect((await rest).trim()).toBe('')
    expect(server.ask('/readyz')).rejects.toThrow()
  })
})

test('a kubeconfig is for its owner, and names people and clusters', async () => {
  const path = join(directory, 'kubeconfig')
  const context = (person: string, cluster: string) => ({
    person,
    cluster,
    token: `${person}-token`,
    namespace: 'payments-dev',
  })
  await writeKubeconfig(path, {
    clusters: [{ id: 'dev-east', url: 'https://127.0.0.1:1234', authority: 'PEM' }],
    contexts: [context('dev', 'dev-east'), context('platform', 'dev-east')],
  })
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect(await readdir(directory)).toStrictEqual(['kubeconfig'])
  expect(JSON.parse(await readFile(path, 'utf8'))).toStrictEqual({
    apiVersion: 'v1',
    kind: 'Config',
    preferences: {},
    clusters: [
      {
        name: 'dev-east',
        cluster: { server: 'https://127.0.0.1:1234', 'certificate-authority-data': 'UEVN' },
      },
    ],
    users: [
      { name: 'dev@dev-east', user: { token: 'dev-token' } },
      { name: 'platform@dev-east', user: { token: 'platform-token' } },
    ],
    contexts: [
      {
        name: 'dev@dev-east',
        context: { cluster: 'dev-east', user: 'dev@dev-east', namespace: 'payments-dev' },
      },
      {
        name: 'platform@dev-east',
        context: { cluster: 'dev-east', user: 'platform@dev-east', namespace: 'payments-dev' },
      },
    ],
    'current-context': 'dev@dev-east',
  })
})
