import { describe, expect, test } from 'bun:test'
import { createAuthority } from '#src/demo/clusters/certificate-authority.ts'
import { systemClock } from '#src/lib/ports/clock.ts'
import { openServer } from './open-simulation.ts'
describe('an API server over TLS', () => {
  const open = async () => {
    const server = await openServer(systemClock)
    const { authority, cluster } = server
    const ask = (path: string, tls: object = { ca: authority }, signal?: AbortSignal) =>
      fetch(`${cluster.url}${path}`, {
        tls,
        headers: { authorization: 'Bearer dev' },
        ...(signal && { signal }),
      })
    return { ...server, ask }
  }
  const WATCH = '/api/v1/namespaces/payments-dev/pods?watch=true&resourceVersion=99999999999999'

  test('is trusted by its authority and by nothing else', async () => {
    await using server = await open()
    expect((await server.ask('/readyz')).status).toBe(200)
    const other = await createAuthority(Date.now())
    for (const tls of [{}, { ca: other.certificate }]) {
      expect(server.ask('/readyz', tls)).rejects.toMatchObject({
        code: expect.stringMatching(/CERT|SIGNATURE/),
      })
    }
    const serverName = await server
      .ask('/readyz', { ca: server.authority, serverName: 'prod-west' })
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
      // The server notices a closed connection with a delay.
      while ((await come()) !== 200) await Bun.sleep(20)
    }
  })

  test('ends its watches when it is closed', async () => {
    await using server = await open()
    const answer = await server.ask(WATCH)
    const rest = answer.text().catch(() => '')
    await server.cluster.close()
    expect((await rest).trim()).toBe('')
    expect(server.ask('/readyz')).rejects.toThrow()
  })
})
