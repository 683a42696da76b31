import { X509Certificate } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { keepCertificates } from '#src/demo/clusters/authority.ts'

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
      const { keepCertificates } = await import(${JSON.stringify(import.meta.resolve('#src/demo/clusters/authority.ts'))})
      const { serverOf } = await keepCertificates(${JSON.stringify(join(directory, 'tls'))}, Date.now())
      await serverOf('dev-east')
      console.log('getMetadata' in Reflect)
    `
    const child = Bun.spawn([process.execPath, '-e', program], { stdout: 'pipe' })
    expect(await new Response(child.stdout).text()).toBe('false\n')
  })
})
