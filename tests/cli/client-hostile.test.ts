import { describe, expect, test } from 'bun:test'
import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { openCredentials } from '#src/cli/client/credentials.ts'
import { questionOf } from '#src/cli/client/new.ts'
import { runPortico, SOURCE } from '#tests/support/portico-process.ts'
import { until } from '#tests/support/until.ts'
import { folderOfTests } from '#tests/support/folder-of-tests.ts'

const folder = folderOfTests()

const variables = () => ({ XDG_CONFIG_HOME: folder, PORTICO_CREDENTIALS: 'file' })
const CREDENTIAL = { refreshToken: 'prr_x', accessToken: 'prt_x', expiresAt: 0 }

test('a template asks in plain text', () => {
  const hostile = '\u001B]0;owned\u0007\u009B2J'
  const property = { title: hostile, enum: [hostile], default: hostile }
  // oxlint-disable-next-line no-control-regex
  expect(questionOf('x', property)).not.toMatch(/[\u0000-\u001F\u007F-\u009F]/)
  expect(questionOf('region', { enum: ['eu', 'us'], default: 'eu' })).toBe(
    'region (eu, us) ["eu"]: ',
  )
})

describe('a refresh token counts once', () => {
  const module = resolve(import.meta.dir, '../../src/cli/client/credentials.ts')
  const holding = (then: string) =>
    Bun.spawn(
      [
        process.execPath,
        '-e',
        `const { openCredentials } = await import(${JSON.stringify(module)})
         await openCredentials(process.env).alone(async () => { console.log('in'); ${then} })`,
      ],
      { env: { PATH: process.env['PATH'] ?? '', ...variables() }, stdout: 'pipe' },
    )

  test('however slow the process that renews it is, and a process that died does not hold it', async () => {
    await using slow = holding('await Bun.sleep(600_000)')
    await slow.stdout.getReader().read()
    // As if it had held the lock for long.
    const lock = join(folder, 'portico/lock')
    await utimes(lock, new Date(0), new Date(0))
    let entered = false
    const next = openCredentials(variables()).alone(async () => {
      entered = true
    })
    await Bun.sleep(500)
    expect(entered).toBeFalse()
    slow.kill('SIGKILL')
    await next
    expect(entered).toBeTrue()
  }, 60_000)
})

test('credentials are never in the folder that a command runs in', async () => {
  const here = join(folder, 'checkout')
  await mkdir(here, { recursive: true })
  for (const XDG_CONFIG_HOME of ['', '.']) {
    const credentials = { ...variables(), XDG_CONFIG_HOME, HOME: join(folder, 'home') }
    const script = `const { openCredentials } = await import(${JSON.stringify(resolve(import.meta.dir, '../../src/cli/client/credentials.ts'))})
      await openCredentials(process.env).write('https://portal.example', ${JSON.stringify(CREDENTIAL)})`
    const child = Bun.spawn([SOURCE[0] ?? '', '-e', script], { cwd: here, env: credentials })
    expect(await child.exited).toBe(0)
  }
  expect(await readdir(here)).toStrictEqual([])
})

// macOS and Windows have programs of their own for it.
test.if(process.platform === 'linux')(
  'a page is opened without a shell (CVE-2025-6514)',
  async () => {
    const opened = join(folder, 'opened')
    const bin = join(folder, 'bin')
    await mkdir(bin, { recursive: true })
    await writeFile(join(bin, 'xdg-open'), `#!/bin/sh\nprintf '%s\\n' "$#" "$@" > ${opened}\n`, {
      mode: 0o755,
    })
    const open = (app: string) =>
      runPortico(['open', app], {
        PATH: `${bin}:${process.env['PATH'] ?? ''}`,
        PORTICO_URL: 'http://127.0.0.1:1',
        PORTICO_TOKEN: 'prt_x',
      })
    expect((await open('x;touch${IFS}y')).exitCode).toBe(2)
    const page = 'http://127.0.0.1:1/entities/system/checkout'
    expect(await open('system/checkout')).toMatchObject({ exitCode: 0, stdout: `${page}\n` })
    const written = () => readFile(opened, 'utf8').catch(() => '')
    await until(async () => (await written()) !== '')
    expect(await written()).toBe(`1\n${page}\n`)
  },
)

test('a sign-out that the portal refuses is none', async () => {
  using server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () => Response.json({ title: 'away' }, { status: 503 }),
  })
  const portal = `http://127.0.0.1:${server.port}`
  const file = join(folder, 'portico/credentials.json')
  await mkdir(join(folder, 'portico'), { recursive: true })
  await writeFile(file, JSON.stringify({ [portal]: CREDENTIAL }), { mode: 0o600 })
  const { exitCode, stdout } = await runPortico(['logout'], variables())
  expect([exitCode, stdout]).toStrictEqual([1, ''])
  expect(await Bun.file(file).text()).toContain('prr_x')
})
