import { afterAll, describe, expect, test } from 'bun:test'
import { chmod, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { installScript } from '#src/lib/presenters/cli/install.ts'
import { openFolder } from '#tests/support/open-folder.ts'
import { INSTALLER, openInstaller } from './cli-install-world.ts'

const installer = await openInstaller()
afterAll(() => installer[Symbol.asyncDispose]())
const { demo, session, script, install, between } = installer

const filesBelow = async (directory: string) =>
  (await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []))
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)

describe('the installer', () => {
  test('is for people who are signed in', async () => {
    expect((await demo.anonymous.get(INSTALLER)).status).toBe(401)
    expect(installer.contentType).toBe('text/x-shellscript; charset=utf-8')
  })

  test('is a script for any shell', async () => {
    const { exitCode, stderr } = Bun.spawnSync(['sh', '-n'], { stdin: Buffer.from(script) })
    expect([exitCode, stderr.toString()]).toStrictEqual([0, ''])
  })

  test.skipIf(Bun.which('shellcheck') === null)('has nothing that shellcheck minds', () => {
    const command = ['shellcheck', '--shell=sh', '-']
    const { exitCode, stdout } = Bun.spawnSync(command, { stdin: Buffer.from(script) })
    expect([exitCode, stdout.toString()]).toStrictEqual([0, ''])
  })

  test('puts the program of this machine in its place', async () => {
    await using folder = await openFolder()
    const program = join(folder.path, '.local/bin/portico')
    const { exitCode, stdout, stderr } = await install(folder.path)
    expect([exitCode, stderr]).toStrictEqual([0, ''])
    expect(stdout.split('\n')).toStrictEqual([
      `portico 1.4.0 is ${program}`,
      `Sign in with: portico login ${demo.url}`,
    ])
    const said = Bun.spawnSync([program, 'version']).stdout.toString()
    expect(said).toBe(`portico 1.4.0 (linux/${process.arch === 'x64' ? 'amd64' : 'arm64'})\n`)
    expect(await readdir(join(folder.path, '.local/bin'))).toStrictEqual(['portico'])
  })

  test('replaces an older one in one step, and takes another version and place', async () => {
    await using folder = await openFolder()
    const place = join(folder.path, 'my programs')
    await mkdir(place)
    await Bun.write(join(place, 'portico'), '#!/bin/sh\necho old\n')
    await chmod(join(place, 'portico'), 0o755)
    const before = await Bun.file(join(place, 'portico')).stat()
    const more = { INSTALL_DIR: place, CLI_VERSION: '1.5.0-rc.1' }
    expect((await install(folder.path, more)).exitCode).toBe(0)
    expect((await Bun.file(join(place, 'portico')).stat()).ino).not.toBe(before.ino)
    const said = Bun.spawnSync([join(place, 'portico'), 'version']).stdout.toString()
    expect(said).toStartWith('portico 1.5.0-rc.1 ')
  })

  test.each([
    ['without a session', { PORTAL_SESSION: '' }, 'set PORTAL_SESSION'],
    ['with what is no session', { PORTAL_SESSION: 'a"\nurl = "x' }, 'is not the value of a cookie'],
    ['with a session that has ended', { PORTAL_SESSION: 'x'.repeat(43) }, 'sign in again'],
    ['of a version that there is not', { CLI_VERSION: '9.9.9' }, 'release_not_found'],
    ['of what is no version', { CLI_VERSION: '1&x=2' }, 'validation_failed'],
    ['from nowhere', { PORTAL_URL: 'http://127.0.0.1:1' }, 'did not work'],
    ['from a file', { PORTAL_URL: 'file:///etc/passwd?' }, 'did not work'],
  ])('%s installs nothing and says why', async (_, variables, reason) => {
    await using folder = await openFolder()
    const { exitCode, stdout, stderr } = await install(folder.path, variables)
    expect([exitCode, stdout]).toStrictEqual([1, ''])
    expect(stderr).toContain(reason)
    expect(await filesBelow(folder.path)).toStrictEqual([])
  })

  test.each([
    [
      'that was changed on the way',
      async (response: Response) =>
        new Response((await response.text()).replace('set -eu', 'set +eu'), response),
      'this is not what the portal has',
    ],
    [
      'without a digest',
      async (response: Response) => new Response(await response.text()),
      'the portal does not say its SHA-256',
    ],
    [
      'with an entity tag that is no digest',
      async (response: Response) =>
        new Response(await response.text(), { headers: { etag: '"5f2b"' } }),
      'the portal does not say its SHA-256',
    ],
    [
      'somewhere else',
      () => Response.redirect(`${demo.url}/api/v1/cli/download/linux/amd64`),
      'the portal answered 302',
    ],
  ])('takes no program %s', async (_, change, reason) => {
    await using folder = await openFolder()
    const proxy = between(change)
    const { exitCode, stderr } = await install(folder.path, { PORTAL_URL: proxy.url.origin })
    await proxy.stop(true)
    expect([exitCode, stderr]).toStrictEqual([1, expect.stringContaining(reason)])
    expect(await filesBelow(folder.path)).toStrictEqual([])
  })

  test('takes no program where nothing can compute its digest', async () => {
    await using folder = await openFolder()
    for (const missing of ['sha256sum', 'shasum']) {
      await Bun.write(join(folder.path, missing), '#!/bin/sh\nexit 127\n')
      await chmod(join(folder.path, missing), 0o755)
    }
    const proxy = between(async (response) => new Response(await response.text()))
    const { exitCode } = await install(folder.path, {
      PORTAL_URL: proxy.url.origin,
      PATH: `${folder.path}:${process.env['PATH']}`,
    })
    await proxy.stop(true)
    expect([exitCode, (await filesBelow(folder.path)).toSorted()]).toStrictEqual([
      1,
      ['sha256sum', 'shasum'],
    ])
  })

  test('brings the session to the portal alone, whatever curl is told by the person', async () => {
    await using folder = await openFolder()
    const given: (string | null)[] = []
    using elsewhere = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch({ headers }) {
        given.push(headers.get('cookie'))
        return new Response('elsewhere')
      },
    })
    await Bun.write(join(folder.path, '.curlrc'), 'location-trusted\n')
    using proxy = between(() => Response.redirect(elsewhere.url.href))
    const { exitCode, stderr } = await install(folder.path, { PORTAL_URL: proxy.url.origin })
    expect([exitCode, given]).toStrictEqual([1, []])
    expect(stderr).toStartWith('install: the portal answered 302')
  })

  test('gives up on a portal that is silent', async () => {
    await using folder = await openFolder()
    using silent = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
    const impatient = script
      .replace(/--connect-timeout \d+/, '--connect-timeout 1')
      .replace(/--speed-time \d+/, '--speed-time 1')
    const variables = { PORTAL_URL: `http://127.0.0.1:${silent.port}` }
    const { exitCode, stderr } = await install(folder.path, variables, impatient)
    expect([exitCode, stderr]).toStrictEqual([1, expect.stringContaining('did not work')])
    // The portal waits up to 50 s before it answers `asset_pending`.
    expect(Number(/--speed-time (\d+)/.exec(script)?.[1])).toBeGreaterThan(50)
    expect(Number(/--connect-timeout (\d+)/.exec(script)?.[1])).toBeLessThan(60)
  })

  test('shows what can be printed of an answer, as it is', async () => {
    await using folder = await openFolder()
    // Some shells make characters for a terminal of `\\033`.
    const body = `\u{1B}]0;owned\u{7}\u{9B}2J \\033[2J not\nhere${'.'.repeat(9_000)}`
    using failing = between(() => new Response(body, { status: 404 }))
    const { stderr } = await install(folder.path, { PORTAL_URL: failing.url.origin })
    const shown = ']0;owned2J \\033[2J nothere'
    expect(stderr).toBe(`install: the portal answered 404: ${shown.padEnd(1_000, '.')}`)

    using renaming = between(async (response) => {
      const headers = new Headers(response.headers)
      headers.set('x-cli-version', '1\\033[2J')
      return new Response(await response.bytes(), { headers })
    })
    const { stdout } = await install(folder.path, { PORTAL_URL: renaming.url.origin })
    expect(stdout).toStartWith('portico 1\\033[2J is ')
  })

  test('comes again when the portal is still fetching', async () => {
    await using folder = await openFolder()
    let asked = 0
    const proxy = between((response) => {
      asked += 1
      return asked === 1 ? new Response('later', { status: 503 }) : response
    })
    const variables = {
      PORTAL_URL: proxy.url.origin,
      PATH: `${folder.path}:${process.env['PATH']}`,
    }
    await Bun.write(join(folder.path, 'sleep'), '#!/bin/sh\necho "$1" >"$HOME/slept"\n')
    await chmod(join(folder.path, 'sleep'), 0o755)
    expect((await install(folder.path, variables)).exitCode).toBe(0)
    await proxy.stop(true)
    expect([asked, await Bun.file(join(folder.path, 'slept')).text()]).toStrictEqual([2, '5\n'])
  })

  test('keeps the session out of the arguments of programs', async () => {
    await using folder = await openFolder()
    await Bun.write(join(folder.path, 'curl'), '#!/bin/sh\necho "$@" >"$HOME/arguments"\nexit 1\n')
    await chmod(join(folder.path, 'curl'), 0o755)
    await install(folder.path, { PATH: `${folder.path}:${process.env['PATH']}` })
    const given = await Bun.file(join(folder.path, 'arguments')).text()
    expect(given).toContain('/api/v1/cli/download/')
    expect(given).not.toContain(session)
  })

  test('that was cut off anywhere does nothing', async () => {
    await using folder = await openFolder()
    for (const share of [0.2, 0.5, 0.9, 0.99]) {
      await install(folder.path, {}, script.slice(0, script.length * share))
    }
    expect(await filesBelow(folder.path)).toStrictEqual([])
  })
})

test('names from the configuration are words of the script, whatever is in them', () => {
  const text = installScript("a'b$(id)$&", "https://x$'`id`")
  const { stdout } = Bun.spawnSync(['sh'], {
    stdin: Buffer.from(`${text.replace(/main\n$/, '')}echo "$name $portal"\n`),
  })
  expect(stdout.toString()).toBe("a'b$(id)$& https://x$'`id`\n")
})
