import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type OpenBao, openbaoProgram, startOpenBao } from '#tests/peers/openbao.ts'
import { CLOSED, furnishReader, OPEN, openCalls, textCredential } from './open-calls.ts'

const LOOK = 'auth/token/lookup-self'
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

  test('is used as it is, and stays valid at the end', async () => {
    const token = await bao.token({ policies: ['reader', 'self'], ttl: '1h' })
    const at = openWith(token)
    expect(await at.calls.logIn()).toStrictEqual({ ok: true, value: undefined })
    expect(await at.read(OPEN)).toMatchObject(allowed)
    expect(await at.read(CLOSED)).toStrictEqual(denied(`read on ${CLOSED}`))
    expect(at.count(LOOK)).toBe(1)
    await at.calls.close()
    const answer = await bao.request('GET', OPEN, undefined, { token })
    expect(answer.status).toBe(200)
  })

  test('that may not look at itself may have ended', async () => {
    const at = openWith(await bao.token({ policies: ['reader'], ttl: '1h' }))
    expect(await at.read(CLOSED)).toStrictEqual(denied(`read on ${CLOSED}${OR_ENDED}`))
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
