import { expect, test } from 'bun:test'
import { runPortico, spawnPortico } from '#tests/support/portico-process.ts'
import { until } from '#tests/support/until.ts'

const whoami = (portal: string) =>
  runPortico(['whoami'], { PORTICO_URL: portal, PORTICO_TOKEN: 'prt_x' })

test('a token of the environment that is not accepted is named', async () => {
  using portal = Bun.serve({
    port: 0,
    fetch: () => Response.json({ code: 'token_invalid' }, { status: 401 }),
  })
  const { exitCode, stderr } = await whoami(portal.url.origin)
  expect([exitCode, stderr]).toStrictEqual([
    4,
    `portico: ${portal.url.origin} does not accept PORTICO_TOKEN\n`,
  ])
})

test('an answer that is cut is a sentence, and may be asked for again', async () => {
  const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{'
  const portal = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      data(socket) {
        socket.write(head)
        setTimeout(() => socket.end(), 50)
      },
    },
  })
  const { exitCode, stderr } = await whoami(`http://127.0.0.1:${portal.port}`)
  portal.stop(true)
  expect([exitCode, stderr]).toStrictEqual([1, 'portico: the connection to the portal ended\n'])
})

test('an answer of another server is none, even with the right state', async () => {
  const login = spawnPortico(['login', 'http://127.0.0.1:1', '--no-browser'], {})
  await until(() => login.printed.stdout.includes('/oauth/authorize'))
  const [page = ''] = /http\S+/.exec(login.printed.stdout) ?? []
  const { searchParams } = new URL(page)
  const answer = new URLSearchParams({
    code: 'prc_x',
    state: searchParams.get('state') ?? '',
    iss: 'https://evil.example',
  })
  await fetch(`${searchParams.get('redirect_uri')}?${answer.toString()}`)
  const { exitCode, stderr } = await login.end()
  expect([exitCode, stderr]).toStrictEqual([4, 'portico: not signed in: no code\n'])
})

test('a code that nobody pastes ends the sign-in', async () => {
  const { exitCode, stderr } = await runPortico(['login', 'http://127.0.0.1:1', '--paste'], {})
  expect(exitCode).toBe(4)
  expect(stderr).toEndWith('portico: no code was pasted\n')
})
