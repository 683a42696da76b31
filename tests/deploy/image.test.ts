import { describe, expect, test } from 'bun:test'
import { cp, mkdir, readdir, symlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseLock } from '#scripts/release/lock.ts'
import { settings } from '#src/config/table.ts'
import { networkSettings } from '#src/lib/git/git-config.ts'
import { VERSION } from '#src/version.ts'
import { parseDockerfile, type Stage, textsOf } from '#tests/support/dockerfile.ts'
import { freePort } from '#tests/support/free-port.ts'
import { gitEnvironment } from '#tests/support/git-environment.ts'
import { mustHaveAll } from '#tests/support/must-have-all.ts'
import { openGiteaForge } from '#tests/peers/gitea/forge.ts'
import { startTlsFront } from '#tests/peers/tls-front.ts'
import { makeAuthority } from '#tests/support/certificates.ts'
import { component } from '#tests/support/portal.ts'
import {
  type FileSet,
  filesBelow,
  findSandbox,
  insideOf,
  librariesOf,
  openDataFolder,
  type Sandbox,
} from '#tests/support/sandbox.ts'
import { folderOfTests } from '#tests/support/folder-of-tests.ts'
import { outputOf, runProgram } from '#tests/support/run-program.ts'

const COMMIT = 'abcdef123456'
const KEYS = `k1:${Buffer.alloc(32, 3).toString('base64')}`
const stages = parseDockerfile(await Bun.file('Dockerfile').text())
const stageOf = (name: string): Stage => {
  const found = stages.find((stage) => stage.name === name)
  if (found === undefined) throw new Error(`no stage ${name}`)
  return found
}
const image = stageOf('portico')

const folder = folderOfTests()
const executable = await buildAsInTheImage()
const sandbox = await findSandbox()

/** Builds from the files that the Dockerfile copies alone, and without git. */
async function buildAsInTheImage(): Promise<string> {
  const context = join(folder, 'context')
  for (const copy of textsOf(stageOf('build'), 'COPY')) {
    const [target = '', ...sources] = copy.split(/\s+/).toReversed()
    for (const source of sources) {
      const isFolder = (await Bun.$`test -d ${source}`.nothrow().quiet()).exitCode === 0
      const name = isFolder ? '' : (source.split('/').at(-1) ?? '')
      await cp(source, join(context, target, name), { recursive: true })
    }
  }
  await symlink(resolve('node_modules'), join(context, 'node_modules'))
  const programs = join(folder, 'programs')
  await mkdir(programs)
  await symlink(process.execPath, join(programs, 'bun'))
  await symlink('/bin/mkdir', join(programs, 'mkdir'))
  const command = textsOf(stageOf('build'), 'RUN').at(-1)?.replace('/data', join(folder, 'data'))
  await outputOf(['/bin/sh', '-c', command ?? ''], {
    cwd: context,
    env: { PATH: programs, COMMIT },
  })
  return join(context, 'dist/portico')
}

describe('the Dockerfile', () => {
  test('names every base by digest', () => {
    const bases = stages
      .map(({ from }) => from)
      .filter((from) => stages.every(({ name }) => name !== from))
    expect(bases.length).toBeGreaterThanOrEqual(3)
    for (const base of bases) expect(base).toMatch(/:[a-z0-9.-]+@sha256:[0-9a-f]{64}$/)
  })

  test('has the Bun that the project is made for, as it is locked', async () => {
    const build = stageOf('build')
    expect(textsOf(build, 'COPY')[0]).toBe('deploy/container/bun /bun/')
    expect(textsOf(build, 'RUN')[0]).toBe(
      'cd /bun && npm ci --ignore-scripts --no-fund --no-audit && install node_modules/@oven/bun-*/bin/bun /usr/local/bin/',
    )
    const { packages } = (await Bun.file('deploy/container/bun/package-lock.json').json()) as {
      packages: Readonly<Record<string, { version?: string; integrity?: string }>>
    }
    const { '': _, ...locked } = packages
    const pinned = parseLock(await Bun.file('scripts/release/bun/bun.lock').text()).packages
    const expected = ['@oven/bun-linux-aarch64', '@oven/bun-linux-x64'].map((name) => [
      `node_modules/${name}`,
      Bun.version,
      pinned.get(name)?.integrity ?? 'none',
    ])
    expect(
      Object.entries(locked).map(([at, { version, integrity }]) => [at, version, integrity]),
    ).toStrictEqual(expected)
    expect(await Bun.file('.ci/run').text()).toContain(`BUN_VERSION=${Bun.version}\n`)
  })

  test('installs what is locked, runs nothing of it, and is told the commit', () => {
    const build = stageOf('build')
    const [, install] = textsOf(build, 'RUN')
    expect(install).toBe('bun install --frozen-lockfile --production --ignore-scripts')
    expect(textsOf(build, 'ARG')).toStrictEqual(['COMMIT=unknown'])
    expect(textsOf(image, 'COPY')[1]).toStartWith(`--from=build ${textsOf(build, 'WORKDIR')[0]}/`)
  })

  test('makes one image, of git and the executable, without rights, that says how it is', () => {
    expect(stages.map(({ name }) => name)).toStrictEqual(['build', 'git', 'portico'])
    expect(textsOf(stageOf('git'), 'RUN').join()).toContain('sh /git-files.sh /files')
    expect(image.from).toStartWith('gcr.io/distroless/base-debian12:nonroot@')
    expect(textsOf(image, 'COPY')).toStrictEqual([
      '--from=git /files /',
      '--from=build /build/dist/portico /portico',
      '--from=build --chown=65532:65532 /data /data',
    ])
    expect(textsOf(image, 'USER')).toStrictEqual(['65532:65532'])
    expect(textsOf(image, 'VOLUME')).toStrictEqual(['/data'])
    expect(textsOf(image, 'HEALTHCHECK')[0]).toEndWith('CMD ["/portico", "healthcheck"]')
    expect(textsOf(image, 'ENTRYPOINT')).toStrictEqual(['["/portico"]'])
    expect(textsOf(image, 'CMD')).toStrictEqual(['["serve"]'])
    expect(textsOf(image, 'EXPOSE')).toStrictEqual([
      `${settings.PORT.fallback} ${settings.METRICS_PORT.example}`,
    ])
    expect(Object.keys(variablesOf(image)).toSorted()).toStrictEqual([
      'BUN_CONFIG_MAX_HTTP_REQUESTS',
      'DATA_DIR',
      'TMPDIR',
    ])
  })

  test('is given what it copies, and little else', async () => {
    const ignore = (await Bun.file('.dockerignore').text()).split('\n').filter(Boolean)
    const [all, ...named] = ignore.filter((line) => !line.startsWith('#'))
    expect(all).toBe('*')
    const allowed = named.map((line) => line.replace(/^!/, ''))
    const copied = stages
      .flatMap((stage) => textsOf(stage, 'COPY'))
      .filter((text) => !text.startsWith('--from'))
      .flatMap((text) => text.split(/\s+/).slice(0, -1))
    for (const source of copied) {
      const isAllowed = allowed.some((name) => source === name || source.startsWith(`${name}/`))
      expect([source, isAllowed]).toStrictEqual([source, true])
    }
    for (const name of allowed) {
      const isCopied = copied.some((source) => source === name || source.startsWith(`${name}/`))
      expect([name, isCopied]).toStrictEqual([name, true])
    }
  })
})

const variablesOf = (stage: Stage): Readonly<Record<string, string>> =>
  Object.fromEntries(
    textsOf(stage, 'ENV')
      .flatMap((text) => text.split(/\s+/))
      .map((pair) => pair.split('=') as [string, string]),
  )

/** The parts of the base that are used, and the executable; the rest of the base must not be needed. */
const bare = async (): Promise<FileSet> => ({
  '/portico': executable,
  ...(await librariesOf(executable)),
})

/** The files that the script adds. */
async function gitFiles(): Promise<FileSet> {
  const files = join(folder, 'git')
  await Bun.$`rm -rf ${files} && sh deploy/container/git-files.sh ${files}`.quiet()
  return filesBelow(files)
}

/** The image. The transport of git is linked with one more library of libc, which the base has. */
async function whole(): Promise<FileSet> {
  const ofTransport = Object.entries(await librariesOf('/usr/lib/git-core/git-remote-https'))
  return {
    ...(await bare()),
    ...Object.fromEntries(ofTransport.filter(([path]) => path.includes('/libresolv.so.'))),
    ...(await gitFiles()),
  }
}

interface Run extends AsyncDisposable {
  readonly process: Bun.Subprocess<'ignore', 'pipe', 'pipe'>
  readonly ended: Promise<{ exitCode: number; stdout: string; stderr: string }>
}

function start(
  inside: Sandbox,
  files: FileSet,
  data: string,
  command: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Run {
  const child = Bun.spawn(
    inside.command(files, data, { ...variablesOf(image), ...variables }, ['/portico', ...command]),
    { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe', env: { PATH: process.env['PATH'] ?? '' } },
  )
  const ended = Promise.all([child.stdout.text(), child.stderr.text(), child.exited]).then(
    ([stdout, stderr, exitCode]) => ({ exitCode, stdout, stderr }),
  )
  return {
    process: child,
    ended,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}

/** Like `docker stop`. */
async function stop({ process: child, ended }: Run) {
  process.kill(await insideOf(child.pid), 'SIGTERM')
  return ended
}

async function until(url: string, status: number): Promise<void> {
  while ((await fetch(url).catch(() => undefined))?.status !== status) await Bun.sleep(20)
}

const WHO = ['-c', 'user.name=Dev', '-c', 'user.email=dev@acme.example']
const git = (...args: readonly string[]) =>
  Bun.$`git ${args}`.cwd(folder).env(gitEnvironment(folder)).nothrow().quiet()

/** A repository that an operator brings along: a bare clone. */
async function cloneGitops(target: string): Promise<void> {
  const work = join(folder, 'work')
  await Bun.write(join(work, 'catalog/a.yaml'), component('payments-api'))
  await git('init', '--quiet', '--initial-branch', 'trunk', work)
  await git('-C', work, 'add', '.')
  await git('-C', work, ...WHO, 'commit', '--quiet', '-m', 'First commit')
  const { exitCode, stderr } = await git('clone', '--quiet', '--bare', work, target)
  if (exitCode !== 0) throw new Error(stderr.toString())
}

const complete = (port: number) => ({
  PORT: String(port),
  HOST: '127.0.0.1',
  PUBLIC_URL: 'http://portal.test',
  SESSION_KEYS: KEYS,
  SECRET_STORE_KEYS: `s1:${Buffer.alloc(32, 4).toString('base64')}`,
  GITOPS_REPOSITORY: 'acme/gitops',
})

function within(): Sandbox {
  if (sandbox === null) throw new Error('neither bubblewrap nor chroot is permitted')
  return sandbox
}

/** Serves until the catalog has its one entity, and ends. */
async function readsCatalog(
  files: FileSet,
  variables: Readonly<Record<string, string>>,
): Promise<void> {
  await using data = await openDataFolder(within())
  await data.handOver()
  const [port, metricsPort] = [freePort(), freePort()]
  const all = { ...complete(port), ...variables, METRICS_PORT: String(metricsPort) }
  await using running = start(within(), files, data.path, ['serve'], all)
  const ready = until(`http://127.0.0.1:${port}/readyz`, 200)
  expect(await Promise.race([running.ended, ready])).toBeUndefined()
  const told = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
  expect(told).toMatch(/^portico_catalog_entities 1$/m)
  expect((await stop(running)).exitCode).toBe(0)
}

describe.skipIf(sandbox === null && !mustHaveAll)('the image', () => {
  test('needs libc and nothing else', async () => {
    const names = Object.keys(await librariesOf(executable)).map((file) =>
      file.replace(/.*\//, '').replace(/[-.].*/, ''),
    )
    expect(names.toSorted()).toStrictEqual(['ld', 'libc', 'libdl', 'libm', 'libpthread'])
  })

  test('has git, its transport over https and their libraries, where they are asked for', async () => {
    const added = Object.keys(await gitFiles())
    const isLibrary = (file: string) => file.includes('.so.')
    expect(added.filter((file) => !isLibrary(file)).toSorted()).toStrictEqual([
      '/usr/bin/git',
      '/usr/lib/git-core/git-remote-http',
      '/usr/lib/git-core/git-remote-https',
    ])
    const needed = await Promise.all(
      ['/usr/bin/git', '/usr/lib/git-core/git-remote-https'].map(librariesOf),
    )
    const ofLibc = /^(ld-linux.*|lib(c|m|dl|pthread|resolv))[-.]/
    const names = needed
      .flatMap(Object.keys)
      .map((file) => file.replace(/.*\//, ''))
      .filter((name) => !ofLibc.test(name))
    const libraries = added.filter(isLibrary)
    for (const file of libraries) expect(file).toMatch(/^\/usr\/lib\/[^/]+\/[^/]+$/)
    expect(libraries.map((file) => file.replace(/.*\//, '')).toSorted()).toStrictEqual(
      [...new Set(names)].toSorted(),
    )
  })

  test('has the commands', async () => {
    await using data = await openDataFolder(within())
    await data.handOver()
    const files = await bare()
    const run = (...command: string[]) => start(within(), files, data.path, command).ended
    expect(await run('version')).toStrictEqual({
      exitCode: 0,
      stdout: `${VERSION} ${COMMIT}\n`,
      stderr: '',
    })
    const list = await run('config', 'list')
    expect(list.exitCode).toBe(0)
    expect(list.stdout).toContain('SESSION_KEYS  (required, also as SESSION_KEYS_FILE)')
    const check = await run('config', 'check')
    expect([check.exitCode, check.stdout]).toStrictEqual([78, ''])
    expect(check.stderr).toContain('PUBLIC_URL is missing; for example https://portal.example.org')
    expect((await run('healthcheck')).exitCode).toBe(1)
    expect(await readdir(data.path)).toStrictEqual([])
  })

  test.each(['serve', 'config check', 'config check --connect'])(
    'without git refuses every git host: %s',
    async (command) => {
      await using data = await openDataFolder(within())
      await data.handOver()
      const files = await bare()
      const reason =
        'repositories are read and written with git, and there is no git program that works on PATH, in /usr/local/bin, /usr/bin or /bin\n'
      const hosts = [
        {},
        { GIT_HOST: 'gitea', GITEA_URL: 'https://git.example.org', GITEA_TOKEN: 'token' },
        { GIT_HOST: 'github', GITHUB_TOKEN: 'token' },
      ]
      for (const host of hosts) {
        const variables = { ...complete(freePort()), ...host }
        const { ended } = start(within(), files, data.path, command.split(' '), variables)
        const { exitCode, stdout, stderr } = await ended
        expect([exitCode, stdout, stderr]).toStrictEqual([78, '', `portico: ${reason}`])
      }
    },
  )

  test('reads the repositories of a git host elsewhere by git', async () => {
    await using forge = await openGiteaForge()
    await forge.create('gitops', { 'catalog/a.yaml': component('payments-api') })
    await readsCatalog(await whole(), forge.settings)
  })

  test.each([
    // The variable is for the REST API: Bun brings its own authorities, and git does not see it.
    ['of the base', '/etc/ssl/certs/ca-certificates.crt', 'NODE_EXTRA_CA_CERTS'],
    ['of a setting', '/etc/portico/gitea-ca.pem', 'GITEA_CA_FILE'],
  ])('reads them over TLS, with the authorities %s', async (_, path, variable) => {
    await using forge = await openGiteaForge()
    await forge.create('gitops', { 'catalog/a.yaml': component('payments-api') })
    const authority = await makeAuthority()
    using front = await startTlsFront(await authority.issue())
    front.leadTo(Number(new URL(forge.settings['GITEA_URL'] ?? '').port))
    const authorities = join(folder, 'authorities.pem')
    await Bun.write(authorities, authority.pem)
    await readsCatalog(
      { ...(await whole()), [path]: authorities },
      { ...forge.settings, GITEA_URL: `https://localhost:${front.port}`, [variable]: path },
    )
  })

  test('writes to a git host elsewhere by git', async () => {
    await using data = await openDataFolder(within())
    await data.handOver()
    await using forge = await openGiteaForge()
    await forge.create('gitops', { 'catalog/a.yaml': component('payments-api') })
    const { GITEA_URL = '', GITEA_TOKEN = '' } = forge.settings
    const url = `${GITEA_URL}/acme/gitops.git`
    const files = await whole()
    const variables = {
      PATH: '/usr/bin',
      ...networkSettings(`Basic ${btoa(`portico:${GITEA_TOKEN}`)}`, null),
    }
    const run = async (input: string, ...args: readonly string[]) => {
      const program = ['/usr/bin/git', '--git-dir=/data/a.git', ...args]
      const command = within().command(files, data.path, variables, program)
      const { stderr, exitCode } = await runProgram(command, { input })
      expect([args[0], stderr, exitCode]).toStrictEqual([args[0], '', 0])
    }
    await run('', 'init', '--quiet', '--bare', '--template=', '/data/a.git')
    await run('', 'fetch', '--quiet', '--depth=1', url, '+refs/heads/main:refs/heads/main')
    await run('', 'fetch', '--quiet', '--unshallow', url, '+refs/heads/main:refs/heads/main')
    const commit = [
      'commit refs/heads/main',
      'committer Portico <portico@localhost> 1700000000 +0000',
      'data 4\nMore',
      'from refs/heads/main^0',
      'M 100644 inline b.txt',
      'data 1\nb\n\n',
    ]
    await run(commit.join('\n'), 'fast-import', '--quiet')
    await run('', 'push', '--quiet', url, 'refs/heads/main:refs/heads/main')
    await run('', 'repack', '--geometric=2', '-d', '-q')
    await run('', 'commit-graph', 'write', '--reachable', '--changed-paths', '--split')
    expect(Object.keys(await forge.files('gitops'))).toStrictEqual(['b.txt', 'catalog/a.yaml'])
  })

  test('serves, says that it is healthy, and ends when it is told to', async () => {
    await using data = await openDataFolder(within())
    await cloneGitops(join(data.path, 'git/acme/gitops.git'))
    await data.handOver()
    const files = await whole()
    const [port, metricsPort] = [freePort(), freePort()]
    const variables = { ...complete(port), METRICS_PORT: String(metricsPort) }
    await using running = start(within(), files, data.path, ['serve'], variables)
    const origin = `http://127.0.0.1:${port}`
    await until(`${origin}/healthz`, 200)
    await until(`${origin}/readyz`, 200)
    const healthcheck = () =>
      start(within(), files, data.path, ['healthcheck'], { PORT: String(port) }).ended
    expect(await healthcheck()).toStrictEqual({ exitCode: 0, stdout: '', stderr: '' })
    const told = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
    expect(told).toMatch(/^portico_catalog_entities 1$/m)
    expect(told).toMatch(/^process_open_fds \d+$/m)

    const { exitCode, stderr } = await stop(running)
    expect([exitCode, stderr]).toStrictEqual([0, `Portico ready on ${origin}\n`])
    expect((await healthcheck()).exitCode).toBe(1)
    expect(await readdir(data.path)).toContain('portico.sqlite')
  })

  test('keeps repositories: a project is made, cloned, pushed to and packed', async () => {
    await using data = await openDataFolder(within())
    await data.handOver()
    const files = await whole()
    const port = freePort()
    await using running = start(within(), files, data.path, ['demo'], { PORT: String(port) })
    const origin = `http://127.0.0.1:${port}`
    await until(`${origin}/readyz`, 200)
    const signedIn = await fetch(`${origin}/dev/sign-in`, {
      method: 'POST',
      body: new URLSearchParams({ user: 'dev' }),
      redirect: 'manual',
    })
    const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? ''
    const made = await fetch(`${origin}/api/v1/scaffold`, {
      method: 'POST',
      headers: { cookie, 'content-type': 'application/json' },
      body: JSON.stringify({
        templateId: 'bun-service',
        appName: 'refund-api',
        team: 'payments',
        namespace: 'payments-dev',
      }),
    })
    expect(await made.text()).toContain('event: done')

    const clone = join(folder, 'clone')
    const url = `http://dev:demo@127.0.0.1:${port}/git/acme/refund-api.git`
    expect((await git('clone', '--quiet', url, clone)).exitCode).toBe(0)
    await git('-C', clone, ...WHO, 'commit', '--quiet', '--allow-empty', '-m', 'More')
    const pushed = await git('-C', clone, 'push', '--quiet')
    expect([pushed.exitCode, pushed.stderr.toString()]).toStrictEqual([0, ''])
    expect((await stop(running)).exitCode).toBe(0)

    // The portal packs now and then with the same program.
    const repository = '/data/git/acme/refund-api.git'
    const pack = ['/usr/bin/git', `--git-dir=${repository}`, 'gc', '--quiet']
    const packed = await runProgram(within().command(files, data.path, {}, pack))
    expect(packed).toMatchObject({ stderr: '', exitCode: 0 })
  })

  test('can write to /data and to nothing else', async () => {
    await using data = await openDataFolder(within())
    await data.handOver()
    const { ended } = start(within(), await whole(), data.path, ['demo'], {
      DATA_DIR: '/elsewhere',
      PORT: String(freePort()),
    })
    const { exitCode, stderr } = await ended
    expect([exitCode, stderr]).toStrictEqual([
      1,
      'portico: DATA_DIR cannot be written to, it is read-only: /elsewhere; mend that, or choose another DATA_DIR\n',
    ])
  })
})
