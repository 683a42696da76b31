import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createOidcIdentityProvider,
  watchOidcFiles,
} from '#src/lib/adapters/identity/oidc/index.ts'
import { systemClock } from '#src/lib/ports/clock.ts'
import { signIn } from '#tests/contracts/identity.ts'
import { ada, startOidcPeer } from '#tests/peers/oidc-provider.ts'
import { makeAuthority } from '#tests/support/certificates.ts'
import { oidcSettings } from '#tests/support/oidc-settings.ts'
import { until } from '#tests/support/until.ts'
import { valueOf } from '#tests/support/value-of.ts'

const POLL_EVERY_MS = 5

let directory = ''
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'portico-oidc-files-'))
})
afterEach(() => rmSync(directory, { recursive: true }))

const file = (name: string, text: string): string => {
  const path = join(directory, name)
  writeFileSync(path, text)
  return path
}

/** Watches the files, and answers what the log was told. */
function watch(paths: { ca?: string; groups?: string }) {
  const told: string[] = []
  const tell = (...args: unknown[]) => void told.push(args.map((arg) => JSON.stringify(arg)).join())
  const closing = new AbortController()
  const files = watchOidcFiles({
    ca: paths.ca ?? null,
    groups: paths.groups ?? null,
    clock: systemClock,
    log: { info: tell, error: tell } as never,
    signal: closing.signal,
    pollEveryMs: POLL_EVERY_MS,
  })
  return { files, told, [Symbol.dispose]: () => closing.abort() }
}

describe('the mapping of groups', () => {
  test('counts without a restart when it changes, and a broken one does not', async () => {
    await using peer = await startOidcPeer({ people: [{ ...ada, groups: ['/payments'] }] })
    const groups = file('groups.yaml', '/payments: payments\n')
    using watched = watch({ groups })
    if (!watched.files.ok) throw new Error(watched.files.error.join())
    const identity = createOidcIdentityProvider(
      oidcSettings(peer.issuer, { files: watched.files.value }),
    )
    const names = async () => {
      const { url, transaction } = valueOf(await identity.authorizationRequest())
      const begin = async () => ({
        callback: (await peer.authorize(url)).searchParams,
        transaction,
      })
      return (await signIn({ identity, begin })).principal.groups
    }
    expect(await names()).toStrictEqual({ kind: 'known', names: ['payments'] })

    writeFileSync(groups, '/payments: 7\n')
    await until(() => watched.told.length > 0)
    expect(watched.told[0]).toContain(`GROUPS_FILE: ${groups}:1:12: the value must be`)
    expect(await names()).toStrictEqual({ kind: 'known', names: ['payments'] })

    writeFileSync(groups, '/payments: [a, b]\n')
    await until(() => watched.told.length > 1)
    expect(await names()).toStrictEqual({ kind: 'known', names: ['a', 'b'] })
  })

  test('and the CA are refused at the start with every mistake', () => {
    const groups = file('groups.yaml', 'a: 7\nb: 8\n')
    const ca = file('ca.pem', 'no certificate')
    using watched = watch({ groups, ca })
    expect(watched.files).toStrictEqual({
      ok: false,
      error: [
        `OIDC_CA_FILE: ${ca} holds no PEM certificate`,
        expect.stringContaining(`GROUPS_FILE: ${groups}:1:4: the value must be`),
        expect.stringContaining(`GROUPS_FILE: ${groups}:2:4: the value must be`),
      ],
    })
  })

  test('is watched until the service closes', async () => {
    const groups = file('groups.yaml', 'a: b\n')
    const watched = watch({ groups })
    watched[Symbol.dispose]()
    writeFileSync(groups, 'a: c\n')
    await Bun.sleep(10 * POLL_EVERY_MS)
    expect(watched.told).toStrictEqual([])
  })
})

describe('SEC-O6 the certificate authority of the provider', () => {
  const UNTRUSTED = { kind: 'identity_error', reason: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' } as const
  /** Another authority of the same name. */
  const OTHERS = { kind: 'identity_error', reason: 'CERT_SIGNATURE_FAILURE' } as const

  async function withProvider() {
    const authority = await makeAuthority()
    const tls = await authority.issue()
    const peer = await startOidcPeer({ tls, ca: authority.pem })
    return { authority, peer, [Symbol.asyncDispose]: () => peer[Symbol.asyncDispose]() }
  }

  const requestWith = async (issuer: string, authorities: string | null) => {
    const files = () => ({ authorities, groupNames: new Map() })
    return createOidcIdentityProvider(oidcSettings(issuer, { files })).authorizationRequest()
  }

  test('is trusted, and no other is', async () => {
    await using at = await withProvider()
    const { issuer } = at.peer
    const other = (await makeAuthority()).pem
    expect(await requestWith(issuer, at.authority.pem)).toMatchObject({ ok: true })
    expect(await requestWith(issuer, other)).toStrictEqual({ ok: false, error: OTHERS })
    expect(await requestWith(issuer, null)).toStrictEqual({ ok: false, error: UNTRUSTED })
  })

  test('replaces the authorities that this process trusts', async () => {
    await using at = await withProvider()
    const other = (await makeAuthority()).pem
    const program = join(import.meta.dir, '../../peers/oidc-trust.ts')
    const trusted = file('trusted.pem', at.authority.pem)
    const run = Bun.spawn([process.execPath, program, at.peer.issuer, other], {
      env: { ...process.env, NODE_EXTRA_CA_CERTS: trusted },
      stdout: 'pipe',
    })
    expect(JSON.parse(await new Response(run.stdout).text())).toStrictEqual([
      'trusted',
      JSON.stringify(OTHERS),
    ])
  })

  test('counts for the provider alone, also while a connection to it is open', async () => {
    await using at = await withProvider()
    const { issuer } = at.peer
    for (let round = 0; round < 3; round++) {
      expect(await requestWith(issuer, at.authority.pem)).toMatchObject({ ok: true })
      const others = await fetch(issuer).then(
        ({ status }) => status,
        (error: Error & { code?: string }) => error.code,
      )
      expect(others).toBe('UNABLE_TO_VERIFY_LEAF_SIGNATURE')
      expect(await requestWith(issuer, null)).toStrictEqual({ ok: false, error: UNTRUSTED })
    }
  })

  test('is taken over when its file changes', async () => {
    await using at = await withProvider()
    const ca = file('ca.pem', (await makeAuthority()).pem)
    using watched = watch({ ca })
    if (!watched.files.ok) throw new Error(watched.files.error.join())
    const identity = createOidcIdentityProvider(
      oidcSettings(at.peer.issuer, { files: watched.files.value }),
    )
    expect(await identity.authorizationRequest()).toStrictEqual({ ok: false, error: OTHERS })
    writeFileSync(ca, at.authority.pem)
    await until(() => watched.told.length > 0)
    expect(await identity.authorizationRequest()).toMatchObject({ ok: true })
  })

  test('does not vouch for another name', async () => {
    const authority = await makeAuthority()
    const tls = await authority.issue(['id.example.org'])
    using server = Bun.serve({ port: 0, tls, fetch: () => new Response('{}') })
    const outcome = await requestWith(`https://127.0.0.1:${server.port}`, authority.pem)
    expect(outcome).toMatchObject({
      ok: false,
      error: { kind: 'identity_error', reason: 'ERR_TLS_CERT_ALTNAME_INVALID' },
    })
  })
})
