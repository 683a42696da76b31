import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type OpenBao, openbaoProgram, startOpenBao } from '#tests/peers/openbao.ts'
import { CLOSED, furnishReader, OPEN, openCalls, textCredential } from './open-calls.ts'

const HOUR_MS = 3_600_000
const LOOK = 'auth/token/lookup-self'
const RENEWAL = 'auth/token/renew-self'
const OR_ENDED = ' (or the token is not valid: it may not look at itself)'
const allowed = { ok: true, value: { status: 200 } }
const denied = (what: string) =>
  ({ ok: false, error: { kind: 'secret_store_denied', what } }) as const

describe.skipIf(openbaoProgram === null)('a token that Portico was given', () => {
  let bao: OpenBao
  let folder: string
  beforeAll(async () => {
    bao = await startOpenBao()
    folder = await mkdtemp(join(tmpdir(), 'portico-token-'))
    await furnishReader(bao)
  })
  afterAll(async () => {
    await rm(folder, { recursive: true })
    await bao[Symbol.asyncDispose]()
  })

  const openWith = (token: string) =>
    openCalls(bao.url, { service: { kind: 'token', token: textCredential(token) } })

  test('is looked at once, renewed, and stays valid at the end', async () => {
    const token = await bao.token({ policies: ['reader', 'self'], ttl: '1h' })
    const at = openWith(token)
    const answers = await Promise.all(Array.from({ length: 5 }, () => at.read(OPEN)))
    for (const answer of answers) expect(answer).toMatchObject(allowed)
    expect(at.count(LOOK)).toBe(1)
    expect(at.timers()[0]).toBeCloseTo((HOUR_MS * 2) / 3, -4)
    await at.fire()
    expect(at.count(RENEWAL)).toBe(1)
    expect(at.timers()).toHaveLength(1)
    await at.calls.close()
    expect(at.timers()).toStrictEqual([])
    expect(at.lines).toStrictEqual([])
    const answer = await bao.request('GET', OPEN, undefined, { token })
    expect(answer.status).toBe(200)
  })

  test('is renewed at once when it may not look at itself, but renew itself', async () => {
    await bao.policy('renewer', `path "${RENEWAL}" { capabilities = ["update"] }`)
    const at = openWith(await bao.token({ policies: ['reader', 'renewer'], ttl: '1h' }))
    expect(await at.read(OPEN)).toMatchObject(allowed)
    expect(at.timers()).toStrictEqual([(HOUR_MS * 2) / 3])
    await at.calls.close()
  })

  test('is used as it is when it may neither look at itself nor renew itself', async () => {
    const at = openWith(await bao.token({ policies: ['reader'], ttl: '1h' }))
    expect(await at.read(OPEN)).toMatchObject(allowed)
    expect(at.timers()).toStrictEqual([])
    expect(await at.read(CLOSED)).toStrictEqual(denied(`read on ${CLOSED}${OR_ENDED}`))
  })

  test.each([
    ['not renewable', { renewable: false }],
    ['of the type batch', { type: 'batch', renewable: false }],
  ] as const)('is told once with its end when it is %s', async (_, kind) => {
    const at = openWith(await bao.token({ policies: ['reader', 'self'], ttl: '1h', ...kind }))
    for (let calls = 0; calls < 3; calls += 1) expect(await at.read(OPEN)).toMatchObject(allowed)
    expect(at.lines.map(({ level }) => level)).toStrictEqual(['warn'])
    const [end] = at.lines.map(({ fields }) => (fields as { endsAt: Date }).endsAt.getTime())
    expect(Math.abs((end ?? 0) - Date.now() - HOUR_MS)).toBeLessThan(60_000)
    expect(at.timers()).toStrictEqual([])
  })

  test('is told once with its end when a renewal does not move the end any more', async () => {
    const token = await bao.token({
      policies: ['reader', 'self'],
      ttl: '30m',
      explicit_max_ttl: '30m',
    })
    // The renewal asks for 30 minutes of a token that has a few seconds less.
    await bao.must('POST', 'sys/auth/token/tune', { max_lease_ttl: '20m' })
    const at = openWith(token)
    await at.read(OPEN)
    await at.fire()
    expect(at.lines.map(({ level }) => level)).toStrictEqual(['warn'])
    expect(at.timers()).toStrictEqual([])
    await bao.must('POST', 'sys/auth/token/tune', { max_lease_ttl: '768h' })
  })

  test('is told once with its end when the store refuses to renew it', async () => {
    await bao.policy('looker', `path "${LOOK}" { capabilities = ["read"] }`)
    const at = openWith(await bao.token({ policies: ['reader', 'looker'], ttl: '1h' }))
    await at.read(OPEN)
    await at.fire()
    expect(at.lines.map(({ level }) => level)).toStrictEqual(['warn'])
    expect(at.timers()).toStrictEqual([])
    expect(await at.read(OPEN)).toMatchObject(allowed)
  })

  test('without an end is neither renewed nor told', async () => {
    const at = openWith(bao.rootToken)
    expect(await at.read(OPEN)).toMatchObject(allowed)
    expect(at.timers()).toStrictEqual([])
    expect(at.lines).toStrictEqual([])
  })

  test('is a refusal when it was revoked, until the file has another one', async () => {
    const first = await bao.token({ policies: ['reader', 'self'], ttl: '1h' })
    const path = join(folder, 'token')
    await writeFile(path, `${first}\n`)
    const at = openCalls(bao.url, {
      service: { kind: 'token', token: { kind: 'file', variable: 'VAULT_TOKEN_FILE', path } },
    })
    expect(await at.read(OPEN)).toMatchObject(allowed)
    await bao.must('POST', 'auth/token/revoke', { token: first })
    expect(await at.read(OPEN)).toStrictEqual(denied(`read on ${OPEN}${OR_ENDED}`))
    await writeFile(path, await bao.token({ policies: ['reader', 'self'], ttl: '1h' }))
    expect(await at.read(OPEN)).toMatchObject(allowed)
    expect(at.timers()).toHaveLength(1)

    for (const [text, phrase] of [
      ['', 'is empty'],
      [' \n ', 'is empty'],
      ['s.one\ns.two', 'is not one line of text'],
      ['s.one\r\nx-header: y', 'is not one line of text'],
      ['s.ä', 'is not one line of text'],
      ['s'.repeat(70_000), 'is not one line of text'],
    ] as const) {
      await writeFile(path, text)
      expect(await at.read(OPEN)).toStrictEqual(denied(`the file of VAULT_TOKEN_FILE ${phrase}`))
    }
    await rm(path)
    expect(await at.read(OPEN)).toStrictEqual(
      denied('the file of VAULT_TOKEN_FILE cannot be read (ENOENT)'),
    )
    await at.calls.close()
  })
})
