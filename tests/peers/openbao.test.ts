import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { makeAuthority } from '#tests/support/certificates.ts'
import { mustHaveAll } from '#tests/support/must-have-all.ts'
import {
  type OpenBao,
  openbaoProgram,
  type RaftOpenBao,
  startOpenBao,
  startRaftOpenBao,
} from './openbao.ts'

test.skipIf(!mustHaveAll)('OpenBao is there (CONTRIBUTING.md says where to get it)', () => {
  expect(openbaoProgram).not.toBeNull()
})

describe.skipIf(openbaoProgram === null)('in development mode', () => {
  let peer: OpenBao
  beforeAll(async () => {
    peer = await startOpenBao()
  })
  afterAll(() => peer[Symbol.asyncDispose]())

  test('root writes and reads', async () => {
    await peer.must('POST', 'secret/data/a', { data: { KEY: 'value' } })
    await peer.must('PATCH', 'secret/data/a', { data: { OTHER: 'more' } })

    const { json } = await peer.request('GET', 'secret/data/a')
    expect(json).toMatchObject({ data: { data: { KEY: 'value', OTHER: 'more' } } })
  })

  test('a token has its policies alone', async () => {
    await peer.policy('reader', 'path "secret/data/a" { capabilities = ["read"] }')
    const token = await peer.token({ policies: ['reader'], ttl: '1m' })

    expect((await peer.request('GET', 'secret/data/a', undefined, { token })).status).not.toBe(403)
    expect((await peer.request('POST', 'secret/data/a', {}, { token })).status).toBe(403)
    expect((await peer.request('GET', 'auth/token/lookup-self', undefined, { token })).status).toBe(
      403,
    )
  })

  test('a namespace has its own mounts', async () => {
    await peer.must('POST', 'sys/namespaces/platform')

    const answer = await peer.request('GET', 'secret/config', undefined, { namespace: 'platform' })
    expect(answer.status).toBe(404)
  })
})

describe.skipIf(openbaoProgram === null)('with raft storage', () => {
  let peer: RaftOpenBao
  beforeAll(async () => {
    const authority = await makeAuthority()
    const { cert, key } = await authority.issue()
    peer = await startRaftOpenBao({ cert, key, authority: authority.pem })
  })
  afterAll(() => peer[Symbol.asyncDispose]())

  test('it keeps what it has over a restart, and is sealed after it', async () => {
    await peer.must('POST', 'secret/data/a', { data: { KEY: 'value' } })
    await peer.stop()
    await peer.start()

    expect(await peer.request('GET', 'secret/data/a')).toMatchObject({ status: 503 })
    await peer.unseal()
    expect(await peer.request('GET', 'secret/data/a')).toMatchObject({
      status: 200,
      json: { data: { data: { KEY: 'value' } } },
    })
  })

  test('it is sealed and unsealed while it runs', async () => {
    await peer.seal()
    expect(await peer.request('GET', 'secret/config')).toStrictEqual({
      status: 503,
      json: { errors: ['Vault is sealed'] },
    })
    await peer.unseal()
    expect((await peer.request('GET', 'secret/config')).status).toBe(200)
  })
})
