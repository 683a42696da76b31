import { afterAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { openPortal, ORIGIN, WEBHOOK_TOKEN } from '#tests/support/portal.ts'

const portal = await openPortal()
let arrive: (answer: Promise<Response>) => void = () => {}
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch(request) {
    const answer = portal.portal.app.fetch(request)
    arrive(answer)
    return answer
  },
})
afterAll(async () => {
  await server.stop(true)
  await portal[Symbol.asyncDispose]()
})

const ENTITY = '/api/v1/catalog/entities/component/payments-api'

const UPLOADS = [
  ['POST', '/api/v1/catalog/validate'],
  ['POST', '/api/v1/scaffold'],
  ['POST', '/api/v1/scaffold/runs/01936b2e-7b1a-7c55-8d0e-5a3f0f6f2a11/retry'],
  ['POST', `${ENTITY}/promotion`],
  ['POST', `${ENTITY}/promotion/confirm`],
  ['POST', '/api/v1/clusters/lab/namespaces/payments/deployments/shop/restart'],
  ['POST', '/api/v1/auth/sessions/revoke'],
  ['POST', '/api/v1/auth/logout'],
  ['POST', '/api/v1/auth/backchannel-logout'],
  ['POST', '/api/v1/webhooks/catalog/refresh'],
  ['DELETE', '/api/v1/auth/sessions'],
] as const

const typeOf = (path: string) =>
  path.endsWith('backchannel-logout') ? 'application/x-www-form-urlencoded' : 'application/json'

/** Sends the beginning of a body and closes the connection once the request has arrived. Answers what the log has of it. */
async function cutOff(method: string, path: string, framing: string, how: 'end' | 'reset') {
  const arrived = new Promise<{ answer: Promise<Response> }>((resolve) => {
    arrive = (answer) => resolve({ answer })
  })
  const cookie = `portal_session=${await portal.signIn('platform')}`
  const socket = connect(Number(server.port), '127.0.0.1')
  socket.write(
    [
      `${method} ${path} HTTP/1.1`,
      `Host: ${new URL(ORIGIN).host}`,
      `Cookie: ${cookie}`,
      `Authorization: Bearer ${WEBHOOK_TOKEN}`,
      `Content-Type: ${typeOf(path)}`,
      `${framing}{"a":`,
    ].join('\r\n'),
  )
  const { answer } = await arrived
  if (how === 'end') socket.end()
  else socket.resetAndDestroy()
  return (await answer).status
}

describe.each([
  ['announced', 'Content-Length: 100\r\n\r\n'],
  ['chunked', 'Transfer-Encoding: chunked\r\n\r\n64\r\n'],
])('an upload that is cut off (%s)', (_, framing) => {
  test.each(UPLOADS)('%s %s is no error of the service', async (method, path) => {
    expect(await cutOff(method, path, framing, 'end')).toBe(400)
    expect(await cutOff(method, path, framing, 'reset')).toBe(400)
    expect(portal.logged.filter((line) => line.includes('"level":50'))).toStrictEqual([])
  })
})
