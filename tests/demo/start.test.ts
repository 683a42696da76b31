import { describe, expect, test } from 'bun:test'
import { chmod, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { VERSION } from '#src/version.ts'
import { freePort } from '#tests/support/free-port.ts'
import { runPortico, spawnPortico } from '#tests/support/portico-process.ts'
import { catalogOf, git, signIn, startDemo, visitor } from './open-demo.ts'
import { openFolder } from '#tests/support/open-folder.ts'

const commitsOf = async (directory: string, repository: string) => {
  const bare = `--git-dir=${join(directory, 'git/acme', `${repository}.git`)}`
  return (await git(directory, bare, 'rev-list', '--all')).stdout.split('\n').length - 1
}

/** The whole organisation as a person could count it. */
async function census(url: string, directory: string) {
  const who = await signIn(url, 'platform')
  const pulls = await who.get('/git/acme/gitops/pulls', { accept: 'application/json' })
  return {
    entities: (await catalogOf(who)).length,
    pulls: ((await pulls.json()) as { state: string }[]).map(({ state }) => state),
    commits: await Promise.all(
      ['gitops', 'templates', 'cli', 'ledger'].map((name) => commitsOf(directory, name)),
    ),
    repositories: (await readdir(join(directory, 'git/acme'))).toSorted(),
  }
}

const WHOLE = {
  entities: 27,
  pulls: ['open', 'open', 'merged'],
  commits: [16, 4, 4, 7],
  repositories: ['cli.git', 'gitops.git', 'ledger.git', 'templates.git'],
}

/** Each test starts the demo, some twice. */
describe('start and end', () => {
  test('tells where it is, logs JSON, is localhost too, keeps its session keys to itself, and reads its settings', async () => {
    await using folder = await openFolder()
    const UI_ORIGINS = 'http://localhost:5173'
    const METRICS_PORT = String(freePort())
    await using demo = await startDemo(folder.path, { UI_ORIGINS, METRICS_PORT })
    expect(demo.banner.endsWith(`\nPortico ${VERSION} ready on ${demo.url}\n`)).toBe(true)
    expect(demo.url).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/)
    expect(demo.banner).not.toContain('{')
    await signIn(demo.url, 'dev')

    const { mode } = await stat(join(folder.path, 'session-keys'))
    expect(mode & 0o777).toBe(0o600)
    const { port } = new URL(demo.url)
    const ask = async (host: string) => (await fetch(demo.url, { headers: { host } })).status
    expect(await ask(`localhost:${port}`)).toBe(200)
    expect(await ask(`evil.example:${port}`)).toBe(421)

    const preflight = await fetch(`${demo.url}/api/v1/auth/logout`, {
      method: 'OPTIONS',
      headers: { origin: UI_ORIGINS, 'access-control-request-method': 'POST' },
    })
    expect(preflight.headers.get('access-control-allow-origin')).toBe(UI_ORIGINS)
    const metrics = await (await fetch(`http://127.0.0.1:${METRICS_PORT}/metrics`)).text()
    expect(metrics).toContain('route="/api/v1/auth/logout"')

    const ended = await demo.end('SIGTERM')
    expect({ exitCode: ended.exitCode, stderr: ended.stderr }).toStrictEqual({
      exitCode: 0,
      stderr: '',
    })
    const log = await Bun.file(join(folder.path, 'portico.log')).text()
    const lines = log
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { path?: string })
    expect(lines.map(({ path }) => path)).toContain('/dev/sign-in')
  })

  test('a restart keeps the data and the sessions, and seeds nothing twice', async () => {
    await using folder = await openFolder()
    const first = await startDemo(folder.path)
    const who = await signIn(first.url, 'manager')
    expect(await census(first.url, folder.path)).toStrictEqual(WHOLE)
    const merged = await (
      await signIn(first.url, 'platform')
    ).post('/git/acme/gitops/pulls/2/merge')
    expect(merged.status).toBe(303)
    await first.end('SIGTERM')

    await using second = await startDemo(folder.path)
    const again = visitor(second.url, who.cookie)
    const session = (await (await again.get('/api/v1/auth/session')).json()) as { subject: string }
    expect(session.subject).toBe('manager')
    expect(await census(second.url, folder.path)).toStrictEqual({
      ...WHOLE,
      pulls: ['open', 'merged', 'merged'],
      commits: [17, 4, 4, 7],
    })
  })
})

describe('killed in the middle of the first start', () => {
  const points = [
    'demo.pid',
    'git.unfinished/*/acme/gitops.git/refs/pull/2',
    'git.unfinished/*/acme/cli.git/refs/tags/portico-v1.4.0',
    'git/acme',
    'session-keys',
  ]
  /** Each start finds what the one before left behind, and must get further than that one. */
  test('at one point after the other: the start after all of them completes it', async () => {
    await using folder = await openFolder()
    for (const point of points) {
      const glob = new Bun.Glob(point)
      const matches = () => {
        try {
          return [...glob.scanSync({ cwd: folder.path, onlyFiles: false })]
        } catch {
          // A start removes leftovers while this looks at them.
          return []
        }
      }
      const leftBehind = new Set(point.includes('*') ? matches() : [])
      const { child, end } = spawnPortico(['demo'], { PORT: '0', DATA_DIR: folder.path })
      const appeared = () => matches().some((path) => !leftBehind.has(path))
      // The file system has no event that is as early as a look.
      while (!appeared() && child.exitCode === null) await Bun.sleep(1)
      expect({ point, exitCode: (await end('SIGKILL')).exitCode }).toStrictEqual({
        point,
        exitCode: null,
      })
    }
    await using demo = await startDemo(folder.path)
    expect(await census(demo.url, folder.path)).toStrictEqual(WHOLE)
    expect(await readdir(folder.path)).not.toContain('git.unfinished')
  })
})

describe('refuses to start', () => {
  test('with settings of an installation, naming each and not its value', async () => {
    await using folder = await openFolder()
    const names = [
      'PUBLIC_URL',
      'DATABASE_URL',
      'DATABASE_URL_FILE',
      'SESSION_KEYS',
      'SESSION_KEYS_FILE',
      'GIT_HOST',
      'GITOPS_REPOSITORY',
      'GITHUB_TOKEN',
      'GITEA_URL',
      'OIDC_ISSUER',
      'VAULT_ADDR',
      'CLUSTERS_FILE',
    ]
    const secrets = Object.fromEntries(names.map((name) => [name, 'a-value-that-nobody-may-see']))
    const variables = { PORT: '0', DATA_DIR: folder.path, ...secrets }
    const { exitCode, stdout, stderr } = await runPortico(['demo'], variables)
    expect([exitCode, stdout]).toStrictEqual([78, ''])
    const [sentence = '', found = ''] = stderr.trim().split(': ').slice(-2)
    expect(sentence).toBe('the demo does not start where a real installation is set up')
    expect(new Set(found.split(', '))).toStrictEqual(new Set(names))
    expect(await readdir(folder.path)).toStrictEqual([])
  })

  test('with settings that cannot be, naming each', async () => {
    const variables = { PORT: '99999', LOG_LEVEL: 'shout', WEBHOOK_TOKEN: 'short', DATA_DIR: '' }
    const { exitCode, stderr } = await runPortico(['demo'], variables)
    expect(exitCode).toBe(78)
    for (const name of Object.keys(variables)) {
      expect(stderr).toMatch(new RegExp(`^portico: ${name} must `, 'm'))
    }
  })

  test('a second time on the same data, until the first has ended in whatever way', async () => {
    await using folder = await openFolder()
    const first = await startDemo(folder.path)
    const variables = { PORT: '0', DATA_DIR: folder.path }
    const { exitCode, stdout, stderr } = await runPortico(['demo'], variables)
    expect({ exitCode, stdout, stderr }).toStrictEqual({
      exitCode: 1,
      stdout: '',
      stderr: `portico: another demo (process ${first.pid}) uses ${folder.path}; end it, or choose another DATA_DIR\n`,
    })
    await first.end('SIGKILL')
    await using second = await startDemo(folder.path)
    expect(second.pid).not.toBe(first.pid)
  })

  test('on a port that is taken', async () => {
    await using folder = await openFolder()
    using other = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() })
    const variables = { PORT: String(other.port), DATA_DIR: folder.path }
    const { exitCode, stderr } = await runPortico(['demo'], variables)
    expect({ exitCode, stderr }).toStrictEqual({
      exitCode: 1,
      stderr: `portico: cannot listen on 127.0.0.1:${other.port}: the port is in use; choose another with PORT\n`,
    })
  })

  test('when the data directory cannot be one', async () => {
    const variables = { PORT: '0', DATA_DIR: '/dev/null/portico' }
    const { exitCode, stderr } = await runPortico(['demo'], variables)
    expect({ exitCode, stderr }).toStrictEqual({
      exitCode: 1,
      stderr:
        'portico: DATA_DIR cannot be written to, a part of its path is a file: /dev/null/portico; mend that, or choose another DATA_DIR\n',
    })
  })

  test('when git finds the disk full, with a sentence and no stack', async () => {
    await using folder = await openFolder()
    const standIn = join(folder.path, 'git')
    await Bun.write(
      standIn,
      `#!/bin/sh\ncase "$*" in *version*) exec echo git version 2.47.0 ;; esac\necho "fatal: write error. Out of diskspace" >&2\nexit 128\n`,
    )
    await chmod(standIn, 0o755)
    const data = join(folder.path, 'data')
    const variables = { PORT: '0', DATA_DIR: data, PATH: folder.path }
    const { exitCode, stderr } = await runPortico(['demo'], variables)
    expect({ exitCode, stderr }).toStrictEqual({
      exitCode: 1,
      stderr: `portico: DATA_DIR cannot be written to, no space is left: ${data}; mend that, or choose another DATA_DIR\n`,
    })
  })

  test.each([
    {
      what: 'without a git program that works',
      program: 'exit 127',
      sentence:
        'repositories are read and written with git, and there is no git program that works on PATH, in /usr/local/bin, /usr/bin or /bin',
    },
    {
      what: 'with a git that is too old',
      program: 'echo git version 2.20.1',
      sentence: 'Portico needs git 2.38 or later, and found 2.20.1',
    },
  ])('$what', async ({ program, sentence }) => {
    await using folder = await openFolder()
    const standIn = join(folder.path, 'git')
    await Bun.write(standIn, `#!/bin/sh\n${program}\n`)
    await chmod(standIn, 0o755)
    const variables = { PORT: '0', DATA_DIR: join(folder.path, 'data'), PATH: folder.path }
    const { exitCode, stderr } = await runPortico(['demo'], variables)
    expect({ exitCode, stderr }).toStrictEqual({ exitCode: 1, stderr: `portico: ${sentence}\n` })
  })
})
