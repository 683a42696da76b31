import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmod, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { installScript } from '#src/lib/http/cli-install.ts'
import { type Demo, openDemo, openFolder } from '#tests/demo/open-demo.ts'

const INSTALLER = '/api/v1/cli/install.sh'

let demo: Demo
let session: string
let script: string
beforeAll(async () => {
  demo = await openDemo()
  const dev = await demo.signIn('dev')
  session = dev.cookie.slice('portal_session='.length)
  const response = await dev.get(INSTALLER)
  expect(response.headers.get('content-type')).toBe('text/x-shellscript; charset=utf-8')
  script = await response.text()
})
afterAll(() => demo[Symbol.asyncDispose]())

/** Runs the script as people do: `curl … | sh`. */
async function install(directory: string, variables: Readonly<Record<string, string>> = {}) {
  const child = Bun.spawn(['sh'], {
    stdin: new Blob([script]),
    stdout: 'pipe',
    stderr: 'pipe',
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: directory,
      PORTAL_SESSION: session,
      ...variables,
    },
  })
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()])
  return { exitCode: await child.exited, stdout: stdout.trim(), stderr: stderr.trim() }
}

const filesBelow = async (directory: string) =>
  (await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []))
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)

/** A portal in between that does something to the answer. */
const between = (change: (response: Response) => Promise<Response> | Response) =>
  Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname } = new URL(request.url)
      const headers = { cookie: request.headers.get('cookie') ?? '' }
      return change(await fetch(`${demo.url}${pathname}`, { headers }))
    },
  })

describe('the installer', () => {
  test('is for people who are signed in', async () => {
    expect((await demo.anonymous.get(INSTALLER)).status).toBe(401)
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
    expect([exitCode, stdout, stderr]).toStrictEqual([0, `portico 1.4.0 is ${program}`, ''])
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
      'this is not what the portal has',
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
    const complete = script
    for (const share of [0.2, 0.5, 0.9, 0.99]) {
      script = complete.slice(0, complete.length * share)
      await install(folder.path)
    }
    script = complete
    expect(await filesBelow(folder.path)).toStrictEqual([])
  })
})

describe('an archive', () => {
  const unpacked = async (filename: string, pack: (folder: string) => readonly string[]) => {
    await using folder = await openFolder()
    const name = 'devx-1.2.3'
    await mkdir(join(folder.path, name))
    await Bun.write(join(folder.path, name, 'portico'), '#!/bin/sh\necho packed\n')
    await Bun.write(join(folder.path, name, 'README.md'), 'read')
    expect(Bun.spawnSync([...pack(name)], { cwd: folder.path }).exitCode).toBe(0)
    const bytes = await Bun.file(join(folder.path, filename)).bytes()
    const proxy = between(
      () =>
        new Response(bytes, {
          headers: {
            etag: `"${new Bun.CryptoHasher('sha256').update(bytes).digest('hex')}"`,
            'content-disposition': `attachment; filename="${filename}"`,
          },
        }),
    )
    const place = join(folder.path, 'bin')
    const variables = { PORTAL_URL: proxy.url.origin, INSTALL_DIR: place }
    const { exitCode, stderr } = await install(folder.path, variables)
    await proxy.stop(true)
    if (exitCode !== 0) return stderr
    expect(await readdir(place)).toStrictEqual(['portico'])
    return Bun.spawnSync([join(place, 'portico')]).stdout.toString()
  }

  test('is unpacked for the program in it', async () => {
    expect(
      await unpacked('d_linux.tar.gz', (name) => ['tar', '-czf', 'd_linux.tar.gz', name]),
    ).toBe('packed\n')
    expect(await unpacked('d.gz', (name) => ['sh', '-c', `gzip -c ${name}/portico >d.gz`])).toBe(
      'packed\n',
    )
  })

  test('without it, or of a kind that not every system can unpack, is refused', async () => {
    const refused = 'install: no portico could be taken out of the archive'
    const without = (name: string) => ['tar', '-czf', 'd.tar.gz', `${name}/README.md`]
    expect(await unpacked('d.tar.gz', without)).toBe(refused)
    expect(await unpacked('d.zst', (name) => ['cp', `${name}/portico`, 'd.zst'])).toBe(refused)
  })
})

test('names from the configuration are words of the script, whatever is in them', () => {
  const text = installScript({ name: "a'b$(id)$&", origin: "https://x$'`id`" })
  const { stdout } = Bun.spawnSync(['sh'], {
    stdin: Buffer.from(`${text.replace(/main\n$/, '')}echo "$name $portal"\n`),
  })
  expect(stdout.toString()).toBe("a'b$(id)$& https://x$'`id`\n")
})
