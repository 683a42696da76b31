import { describe, expect, test } from 'bun:test'
import { parseAuthority } from '#src/lib/crypto/certificate-authority.ts'
import { loadX509, newKeys } from '#src/demo/clusters/certificate-authority.ts'
import { err, ok, type Result } from '#src/lib/result.ts'
import { ONE, TWO } from '#tests/domain/clusters/authorities.ts'
import { growth, LINEAR_GROWTH_MAX } from '#tests/support/processor-time.ts'

const NOW_MS = Date.parse('2026-12-01T00:00:00Z')
const ONE_BEGINS = Date.parse('2026-11-21T14:16:32Z')
const ONE_ENDS = Date.parse('2036-11-18T14:16:32Z')

const labelled = (label: string) => ONE.replaceAll('CERTIFICATE', label)
const block = (content: string) =>
  `-----BEGIN CERTIFICATE-----\n${content}\n-----END CERTIFICATE-----\n`
const KEY = 'holds a private key, which belongs to nobody who only verifies'
const OTHER = 'holds something else than certificates'

describe('an authority', () => {
  // prettier-ignore
  test.each<[string, string, Result<string, string>]>([
    ['one certificate',              ONE,                                    ok(ONE)],
    ['two',                          ONE + TWO,                              ok(ONE + TWO)],
    ['in their order',               TWO + ONE,                              ok(TWO + ONE)],
    ['without the text around it',   `# ours\nIssuer: x\n${ONE}\n# end\n`,   ok(ONE)],
    ['with CRLF',                    ONE.replaceAll('\n', '\r\n'),           ok(ONE)],
    ['with blanks after its edges',  ONE.replaceAll('E-----\n', 'E----- \t\n'), ok(ONE)],
    ['without a last line end',      ONE.trimEnd(),                          ok(ONE)],
    ['nothing',                      '',                                     err('holds no PEM certificate')],
    ['white space',                  ' \n\n',                                err('holds no PEM certificate')],
    ['garbage',                      '<html>Not found</html>',               err('holds no PEM certificate')],
    ['cut off',                      ONE.slice(0, 300),                      err('is not PEM')],
    ['without a beginning',          ONE.slice(30),                          err('is not PEM')],
    ['the second cut off',           ONE + TWO.slice(0, 300),                err('is not PEM')],
    ['one in another',               `-----BEGIN CERTIFICATE-----\n${ONE}`,  err('is not PEM')],
    ['another end',                  ONE.replace('END CERTIFICATE', 'END CRL'), err('is not PEM')],
    ['no base64',                    block('!!!!'),                          err('the certificate is not readable')],
    ['no certificate in it',         block('AAAA'),                          err('the certificate is not readable')],
    ['empty',                        block(''),                              err('the certificate is not readable')],
    ['one of two is not readable',   ONE + block('AAAA'),                    err('certificate 2 is not readable')],
    ['a public key',                 labelled('PUBLIC KEY'),                 err(OTHER)],
    ['a trusted certificate',        labelled('TRUSTED CERTIFICATE'),        err(OTHER)],
    ['a request',                    labelled('CERTIFICATE REQUEST'),        err(OTHER)],
    ['a certificate and a list',     ONE + labelled('X509 CRL'),             err(OTHER)],
    ['a private key',                labelled('PRIVATE KEY'),                err(KEY)],
    ['a certificate and its key',    ONE + labelled('EC PRIVATE KEY'),       err(KEY)],
    ['a key that is broken',         '-----BEGIN RSA PRIVATE KEY-----',      err(KEY)],
    ['an encrypted key',             labelled('ENCRYPTED PRIVATE KEY') + ONE, err(KEY)],
    ['as long as it may be',         ONE.padEnd(256 * 1024),                 ok(ONE)],
    ['too long',                     ONE.padEnd(256 * 1024 + 1),              err('is longer than 262144 characters')],
  ])('%s', (_, pem, expected) => {
    expect(parseAuthority(pem, NOW_MS)).toStrictEqual(expected)
  })

  // prettier-ignore
  test.each<[string, string, number, Result<string, string>]>([
    ['from its first second',     ONE,       ONE_BEGINS,                 ok(ONE)],
    ['not before',                ONE,       ONE_BEGINS - 1,             err('the certificate is not valid before 2026-11-21T14:16:32.000Z')],
    ['until its last',            ONE,       ONE_ENDS,                   ok(ONE)],
    ['not after',                 ONE,       ONE_ENDS + 1,               err('the certificate expired on 2036-11-18T14:16:32.000Z')],
    ['one of two is enough',      ONE + TWO, Date.parse('2027-01-01'),   ok(ONE + TWO)],
    ['whichever comes first',     TWO + ONE, Date.parse('2027-01-01'),   ok(TWO + ONE)],
    ['none of two',               TWO + ONE, ONE_ENDS + 1,               err('certificate 1 expired on 2026-12-21T14:16:32.000Z')],
  ])('is good: %s', (_, pem, nowMs, expected) => {
    expect(parseAuthority(pem, nowMs)).toStrictEqual(expected)
  })
})

test('a certificate that ends before it begins is no authority, and does no harm to a valid one', async () => {
  const { X509CertificateGenerator } = await loadX509()
  const never = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=never',
    keys: await newKeys(),
    notBefore: new Date(NOW_MS + 1000),
    notAfter: new Date(NOW_MS - 1000),
  })
  const pem = `${never.toString('pem')}\n`
  expect(parseAuthority(pem, NOW_MS)).toStrictEqual(
    err('the certificate expired on 2026-11-30T23:59:59.000Z'),
  )
  expect(parseAuthority(pem + ONE, NOW_MS).ok).toBe(true)
})

test('a file of beginnings costs no more than its length', () => {
  const ofBeginnings = (count: number) => {
    const text = Array.from({ length: count }, (_, at) => `-----BEGIN A${at}-----\n`).join('')
    return () => expect(parseAuthority(text, NOW_MS)).toStrictEqual(err('is not PEM'))
  }
  expect(growth(9_000, ofBeginnings)).toBeLessThan(LINEAR_GROWTH_MAX)
})
