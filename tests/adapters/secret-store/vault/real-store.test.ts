import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { vaultPath } from '#src/lib/adapters/secret-store/vault/client.ts'
import {
  type OpenBao,
  openbaoProgram,
  type RaftOpenBao,
  startOpenBao,
  startRaftOpenBao,
} from '#tests/peers/openbao.ts'
import { makeAuthority } from '#tests/support/certificates.ts'
import { openClient } from './open-client.ts'

const read = (token: string, path = 'secret/subkeys/a') =>
  ({ method: 'GET', path, token, repeatable: true }) as const
const absent = { ok: true, value: { status: 404, json: { errors: [] } } } as const

describe.skipIf(openbaoProgram === null)('the client at a real OpenBao', () => {
  let open: OpenBao
  let raft: RaftOpenBao
  let authority: string
  beforeAll(async () => {
    const issuer = await makeAuthority()
    const certificate = await issuer.issue()
    authority = issuer.pem
    ;[open, raft] = await Promise.all([
      startOpenBao(),
      startRaftOpenBao({ ...certificate, authority }),
    ])
  })
  afterAll(async () => {
    await Promise.all([open[Symbol.asyncDispose](), raft[Symbol.asyncDispose]()])
  })

  test('writes and reads an entry whose path has to be encoded', async () => {
    const { client } = openClient(open.url)
    const path = 'a b/ü%2F..c/?#'
    const written = await client.send({
      method: 'POST',
      path: vaultPath`secret/data/${path}`,
      body: { options: { cas: 0 }, data: { A: 'x' } },
      token: open.rootToken,
      repeatable: false,
    })
    expect(written).toMatchObject({ ok: true, value: { status: 200 } })
    const { json } = await open.request('GET', 'secret/metadata/a%20b/?list=true')
    expect(json).toMatchObject({ data: { keys: ['ü%2F..c/'] } })
  })

  test('hears of a missing namespace, of a refused token and of a patch of nothing', async () => {
    const elsewhere = openClient(open.url, { namespace: 'nowhere' })
    expect(await elsewhere.client.send(read(open.rootToken))).toMatchObject({
      value: { status: 404, json: { errors: ['namespace not found'] } },
    })
    expect(await elsewhere.client.health()).toMatchObject({ value: { sealed: false } })
    const { client } = openClient(open.url)
    expect(await client.send(read('s.refused'))).toMatchObject({ value: { status: 403 } })
    const patch = { method: 'PATCH', path: 'secret/data/nothing', body: { data: {} } } as const
    const patched = await client.send({ ...patch, token: open.rootToken, repeatable: false })
    expect(patched).toStrictEqual({ ok: true, value: { status: 404, json: undefined } })
  })

  test('is told of a quota, which states no time', async () => {
    const quota = 'sys/quotas/rate-limit/secret'
    await open.must('POST', quota, { path: 'secret/', rate: 1, interval: '1s' })
    try {
      const { client } = openClient(open.url)
      const answers = await Promise.all([
        client.send(read(open.rootToken)),
        client.send(read(open.rootToken)),
      ])
      const limited = { kind: 'secret_store_rate_limited', retryAfterSeconds: 1 } as const
      expect(answers).toContainEqual({ ok: false, error: limited })
    } finally {
      await open.request('DELETE', quota)
    }
  })

  test('is told of a seal, and comes back after a restart', async () => {
    const { client, logged } = openClient(raft.url, { authority })
    expect(await client.send(read(raft.rootToken))).toStrictEqual(absent)
    await raft.seal()
    const sealed = { ok: false, error: { kind: 'secret_store_sealed' } } as const
    expect(await client.send(read(raft.rootToken))).toStrictEqual(sealed)
    expect(logged).toHaveLength(1)
    expect(await client.health()).toMatchObject({ value: { sealed: true } })

    await raft.stop()
    const unreachable = { ok: false, error: { kind: 'secret_store_unreachable' } } as const
    expect(await client.send(read(raft.rootToken))).toStrictEqual(unreachable)
    await raft.start()
    expect(await client.send(read(raft.rootToken))).toStrictEqual(sealed)
    await raft.unseal()
    expect(await client.send(read(raft.rootToken))).toStrictEqual(absent)
  })
})
