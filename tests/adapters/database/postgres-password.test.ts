import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { TCPSocketListener } from 'bun'
import { openPostgres } from '#src/lib/adapters/database/postgres.ts'

const SSL_REQUEST = 80_877_103
const PASSWORD_MESSAGE = 'p'.charCodeAt(0)
/** Asks for the password in clear. */
const AUTHENTICATION_CLEARTEXT = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3])
/** Not a loopback name. Linux connects to this host. */
const ANOTHER_HOST = '0.0.0.0'

/** A server that refuses TLS and asks for the password in clear, as somebody in between would. */
let server: TCPSocketListener
let passwords: string[]
beforeAll(() => {
  server = Bun.listen({
    hostname: '0.0.0.0',
    port: 0,
    socket: {
      data(socket, bytes) {
        const message = Buffer.from(bytes)
        if (message[0] === PASSWORD_MESSAGE) {
          passwords.push(message.subarray(5).toString())
          socket.terminate()
        } else if (message.length === 8 && message.readInt32BE(4) === SSL_REQUEST) {
          socket.write('N')
        } else {
          socket.write(AUTHENTICATION_CLEARTEXT)
        }
      },
    },
  })
})
afterAll(() => server.stop(true))

async function passwordsSentTo(host: string, parameters: string): Promise<readonly string[]> {
  passwords = []
  const url = `postgres://portico:hunter2@${host}:${server.port}/portico${parameters}`
  const engine = openPostgres(url, { ca: null, listenUrl: null, onListening() {} })
  if (!engine.ok) return passwords
  expect(await engine.value.run((sql) => sql`SELECT 1`)).toMatchObject({ ok: false })
  await engine.value.close()
  return [...new Set(passwords)].map((text) => text.replaceAll('\0', ''))
}

test.each([
  '',
  '?sslmode=',
  '?sslmode=verify-full',
  '?sslmode=verify-ca',
  '?sslmode=VERIFY-FULL',
  '?sslmode=require',
  '?sslmode=full',
  '?SSLMODE=disable',
  '?ssl=true',
  '?sslrootcert=system',
  '?application_name=sslmode=disable',
  '#?sslmode=disable',
  '#?sslmode=verify-full',
])('a server on another host never gets the password in clear: %s', async (parameters) => {
  expect(await passwordsSentTo(ANOTHER_HOST, parameters)).toStrictEqual([])
})

test('a server gets the password in clear where the URL says so by name', async () => {
  expect(await passwordsSentTo(ANOTHER_HOST, '?sslmode=disable')).toStrictEqual(['hunter2'])
})
