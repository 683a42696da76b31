import { X509Certificate } from 'node:crypto'
import { expect, test } from 'bun:test'
import { createAuthority } from '#src/demo/clusters/certificate-authority.ts'

const DAY_MS = 86_400_000

test('a certificate is signed by the authority for the loopback interface and the cluster', async () => {
  const now = Date.now()
  const authority = await createAuthority(now)
  const issuer = new X509Certificate(authority.certificate)
  const certificate = new X509Certificate((await authority.issue('dev-east')).certificate)
  expect(issuer.ca).toBe(true)
  expect(certificate.ca).toBe(false)
  expect(certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)).toBe(true)
  expect(certificate.subjectAltName).toBe('IP Address:127.0.0.1, DNS:localhost, DNS:dev-east')
  expect(certificate.publicKey.asymmetricKeyDetails).toMatchObject({ namedCurve: 'prime256v1' })
  expect(Date.parse(certificate.validTo) - now).toBeWithin(390 * DAY_MS, 398 * DAY_MS)
  expect(Date.parse(certificate.validFrom)).toBeLessThan(now)
  const other = new X509Certificate((await createAuthority(now)).certificate)
  expect(other.subject).not.toBe(issuer.subject)
})
