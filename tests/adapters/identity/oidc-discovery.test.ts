import { describe, expect, test } from 'bun:test'
import { DISCOVERY, failed, JWKS, openFakeIssuer, TOKEN, seconds } from './fake-issuer.ts'

describe('discovery', () => {
  test('is not made before it is needed, and once however many need it', async () => {
    await using at = await openFakeIssuer()
    await Bun.sleep(10)
    expect(at.paths).toStrictEqual([])
    const calls = Array.from({ length: 10 }, (_, index) =>
      index % 2 ? at.refresh() : at.exchange(),
    )
    for (const outcome of await Promise.all(calls)) expect(outcome).toMatchObject({ ok: true })
    await at.refresh()
    const count = (path: string) => at.paths.filter((other) => other === path).length
    expect([DISCOVERY, JWKS, TOKEN].map(count)).toStrictEqual([1, 1, 11])
  })

  test('that failed is not kept: a provider that comes up later is found', async () => {
    await using at = await openFakeIssuer()
    at.answers[DISCOVERY] = () => new Response('starting', { status: 503 })
    const failures = await Promise.all([at.refresh(), at.exchange()])
    expect(failures).toStrictEqual([failed('http_503'), failed('http_503')])
    expect(at.paths).toStrictEqual([DISCOVERY])
    at.answers[DISCOVERY] = undefined
    expect(await at.refresh()).toMatchObject({ ok: true })
  })

  test('is kept for an hour', async () => {
    const clock = { at: seconds() * 1000, now: () => clock.at }
    await using at = await openFakeIssuer({ clock })
    at.idToken = () => at.sign({ exp: seconds() + 7_200 })
    const outcomes: unknown[] = []
    for (const passed of [0, 60 * 60_000 - 1, 1]) {
      clock.at += passed
      outcomes.push((await at.refresh()).ok)
      outcomes.push(at.paths.filter((path) => path === DISCOVERY).length)
    }
    expect(outcomes).toStrictEqual([true, 1, true, 1, true, 2])
  })

  test('is for the issuer that was asked', async () => {
    await using at = await openFakeIssuer()
    at.metadata = { issuer: 'https://other.example.org' }
    expect(await at.refresh()).toStrictEqual(failed('OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED'))
    at.metadata = { jwks_uri: undefined }
    expect(await at.refresh()).toStrictEqual(failed('no_jwks_uri'))
    at.metadata = { token_endpoint: undefined }
    expect(await at.refresh()).toStrictEqual(failed('OAUTH_MISSING_SERVER_METADATA'))
  })

  test('sends nobody elsewhere without TLS', async () => {
    await using other = await openFakeIssuer()
    for (const member of ['token_endpoint', 'jwks_uri']) {
      await using at = await openFakeIssuer()
      at.metadata = { [member]: `${other.issuer}/${member}` }
      expect(await at.refresh()).toStrictEqual(failed('insecure_url'))
    }
    expect(other.paths).toStrictEqual([])
  })

  test('nor does a redirect', async () => {
    await using other = await openFakeIssuer()
    for (const path of [DISCOVERY, TOKEN, JWKS]) {
      await using at = await openFakeIssuer()
      at.answers[path] = () => Response.redirect(`${other.issuer}${path}`, 307)
      expect(await at.refresh()).toMatchObject({ ok: false, error: { kind: 'identity_error' } })
    }
    expect(other.paths).toStrictEqual([])
  })
})

describe('keys', () => {
  test('that the provider adds are asked for at once', async () => {
    await using at = await openFakeIssuer()
    expect(await at.refresh()).toMatchObject({ ok: true })
    await at.rotate('k2')
    expect(await at.refresh()).toMatchObject({ ok: true })
    await at.rotate('k3')
    expect(await at.exchange()).toMatchObject({ ok: true })
    expect(at.paths.filter((path) => path === JWKS)).toHaveLength(3)
  })

  test('are not asked for because of a token that no key could have signed', async () => {
    await using at = await openFakeIssuer()
    expect(await at.exchange()).toMatchObject({ ok: true })
    at.exchanged = async () => `${btoa('{"alg":"none"}').replaceAll('=', '')}.e30.`
    expect(await at.exchange()).toStrictEqual(failed('ERR_JOSE_NOT_SUPPORTED'))
    expect(at.paths.filter((path) => path === JWKS)).toHaveLength(1)
  })

  test('are believed for ten minutes', async () => {
    const clock = { at: seconds() * 1000, now: () => clock.at }
    await using at = await openFakeIssuer({ clock })
    at.idToken = () => at.sign({ exp: seconds() + 3_600 })
    expect(await at.refresh()).toMatchObject({ ok: true })
    await at.rotate('k1')
    clock.at += 10 * 60_000 - 1
    expect(await at.refresh()).toStrictEqual(failed('ERR_JWS_SIGNATURE_VERIFICATION_FAILED'))
    clock.at += 1
    expect(await at.refresh()).toMatchObject({ ok: true })
  })
})
