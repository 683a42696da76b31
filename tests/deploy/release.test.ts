import { describe, expect, test } from 'bun:test'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { appendFile, cp, mkdir, readdir, rm, symlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { build, catalogReader, TARGETS, type Target } from '#scripts/build.ts'
import { packageOf } from '#scripts/release/contents.ts'
import { parseLock } from '#scripts/release/lock.ts'
import { VERSION } from '#src/version.ts'
import { mustHaveAll } from '#tests/support/must-have-all.ts'
import { folderOfTests } from '#tests/support/folder-of-tests.ts'
import { outputOf, runProgram } from '#tests/support/run-program.ts'

const COMMIT = 'abcdef123456'
const WHEN = new Date('2026-11-20T08:09:10Z')
const RELEASE_MS = 120_000
const SBOM = `portico-${VERSION}.cdx.json`
const CHART = `portico-${VERSION}.tgz`
const HOST = `linux-${process.arch === 'x64' ? 'amd64' : 'arm64'}` as const

const folder = folderOfTests()

const PROGRAM = [
  'scripts',
  'deploy',
  'src',
  'package.json',
  'bun.lock',
  'bunfig.toml',
  'tsconfig.json',
]

/** A copy of our files without the repository, whose uncommitted changes would prevent a release. */
async function openSource(name: string, from = '.'): Promise<string> {
  const place = join(folder, name)
  for (const each of PROGRAM) await cp(join(from, each), join(place, each), { recursive: true })
  await mkdir(join(place, 'node_modules'))
  for (const each of await readdir('node_modules')) {
    await symlink(resolve('node_modules', each), join(place, 'node_modules', each))
  }
  return place
}

const source = await openSource('source')

async function release(
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
  cwd: string = source,
) {
  const SOURCE_DATE_EPOCH = String(WHEN.getTime() / 1_000)
  const env = { ...process.env, PORTICO_COMMIT: COMMIT, SOURCE_DATE_EPOCH, ...variables }
  return runProgram([process.execPath, 'scripts/release.ts', ...args], { cwd, env })
}

const outfile = join(folder, 'built/portico')
const executable = await build({ outfile, commit: COMMIT })

const outdir = join(folder, 'made')
const complete = join(outdir, 'complete')
const made = await release(['--outdir', complete])
const isOffline = made.stderr.startsWith('release: no ') && !made.stderr.includes('Integrity')

/** Machine of an executable, from its header. */
async function machineOf(path: string): Promise<string> {
  const head = Buffer.from(await Bun.file(path).slice(0, 4_096).arrayBuffer())
  if (head.toString('latin1', 0, 4) === '\x7FELF')
    return `ELF ${head.readUInt16LE(18).toString(16)}`
  if (head.readUInt32LE(0) === 0xfe_ed_fa_cf) return `Mach-O ${head.readUInt32LE(4).toString(16)}`
  const start = head.readUInt32LE(0x3c)
  if (head.toString('latin1', start, start + 4) !== 'PE\0\0') return 'none'
  return `PE ${head.readUInt16LE(start + 4).toString(16)}`
}

/** `EM_X86_64`, `EM_AARCH64`; `CPU_TYPE_X86_64`, `CPU_TYPE_ARM64`; `IMAGE_FILE_MACHINE_AMD64`. */
const MACHINES = {
  'linux-amd64': 'ELF 3e',
  'linux-arm64': 'ELF b7',
  'darwin-amd64': 'Mach-O 1000007',
  'darwin-arm64': 'Mach-O 100000c',
  'windows-amd64': 'PE 8664',
} as const satisfies Record<Target, string>

const fileOf = (target: string): string =>
  target.startsWith('windows') ? `portico-${target}.exe` : `portico-${target}`

const SPOILT = 'console.log("spoilt")\n'

/** Changes the installed files of a package. */
async function spoilPackage(within: string, name: string): Promise<void> {
  const place = join(within, 'node_modules', name)
  await rm(place)
  await cp(join('node_modules', name), place, { recursive: true })
  const programs = await Array.fromAsync(new Bun.Glob('**/*.{js,mjs}').scan(place))
  expect(programs.length).toBeGreaterThan(0)
  for (const program of programs) await appendFile(join(place, program), SPOILT)
}

/** A cache with a changed program of Bun for this machine. */
async function spoiltCache(): Promise<string> {
  const cache = join(folder, 'spoilt')
  const pinned = join(folder, 'pinned')
  await cp('scripts/release/bun', pinned, { recursive: true })
  await outputOf([process.execPath, 'install', '--frozen-lockfile', '--libc=*'], {
    cwd: pinned,
    env: { ...process.env, BUN_INSTALL_CACHE_DIR: cache },
  })
  const programs = await Array.fromAsync(new Bun.Glob('@oven/*@*/bin/bun').scan(cache))
  expect(programs).toHaveLength(1)
  for (const program of programs) await Bun.write(join(cache, program), SPOILT)
  return cache
}

describe('the executable', () => {
  test('is one file with nothing beside it', async () => {
    expect(executable.path).toBe(outfile)
    expect(await readdir(join(folder, 'built'))).toStrictEqual(['portico'])
  })

  test('is made of our sources and of packages', async () => {
    expect(executable.modules).toContain('src/main.ts')
    expect(executable.modules).toContain('src/lib/domain/catalog/parser-worker.ts')
    expect(executable.modules).toContain('src/console/main.tsx')
    for (const name of ['elysia', 'preact', '@preact/signals', '@preact/signals-core']) {
      const isInside = executable.modules.some((path) => path.includes(`node_modules/${name}/`))
      expect([name, isInside]).toStrictEqual([name, true])
    }
    const files = executable.modules.map((path) => Bun.file(path).exists())
    expect((await Promise.all(files)).every(Boolean)).toBe(true)
  })

  test('has nothing of the machine that built it', async () => {
    const bytes = Buffer.from(await Bun.file(outfile).arrayBuffer())
    expect(bytes.includes(resolve('node_modules'))).toBe(false)
    expect(bytes.includes(COMMIT)).toBe(true)
  })

  test('answers liveness probes before it loads more than its commands and its configuration', async () => {
    const { metafile } = await Bun.build({
      entrypoints: ['src/cli/commands.ts'],
      target: 'bun',
      metafile: true,
      splitting: true,
    })
    const inputs = metafile?.inputs ?? {}
    const loaded = new Set(['src/cli/commands.ts'])
    for (const path of loaded) {
      for (const each of inputs[path]?.imports ?? []) {
        if (each.kind !== 'dynamic-import') loaded.add(each.path)
      }
    }
    const packages = [...loaded].flatMap((path) => /node_modules\/([^/]+)/.exec(path)?.[1] ?? [])
    expect([...new Set(packages)]).toStrictEqual(['commander'])
  })

  test('has a thread to parse in that begins with little: it is started for every push', async () => {
    const entrypoints = ['src/lib/domain/catalog/parser-worker.ts']
    const { metafile } = await Bun.build({ entrypoints, target: 'bun', metafile: true })
    const packages = Object.keys(metafile?.inputs ?? {}).flatMap(
      (path) => /node_modules\/([^/]+)/.exec(path)?.[1] ?? [],
    )
    expect([...new Set(packages)]).toStrictEqual(['js-yaml'])
  })

  test('takes over what any other has parsed that reads and keeps files by the same code', async () => {
    const reader = await catalogReader()
    expect(Buffer.from(await Bun.file(outfile).arrayBuffer()).includes(reader)).toBe(true)
    for (const [path, isOfIt] of [
      ['src/lib/domain/catalog/entity.ts', true],
      ['src/lib/domain/catalog/kept-files.ts', true],
      ['src/lib/adapters/kept-bytes/file.ts', true],
      ['node_modules/js-yaml/dist/js-yaml.mjs', true],
      ['src/lib/domain/catalog/snapshot.ts', false],
    ] as const) {
      const text = await Bun.file(path).text()
      const changed = await catalogReader({ [resolve(path)]: `${text}\nglobalThis.changed = 1` })
      expect([path, changed !== reader]).toStrictEqual([path, isOfIt])
    }
  })

  test('names sources and lines when it fails', async () => {
    // A call of the program that fails in the runtime: no fault has to be injected.
    const preload = join(folder, 'fail.js')
    await Bun.write(preload, 'console.log = () => { throw new Error("provoked") }')
    const { stderr, exitCode } = await runProgram([executable.path, 'config', 'list'], {
      env: { BUN_OPTIONS: `--preload ${preload}` },
    })
    expect([exitCode, stderr]).toStrictEqual([1, expect.stringContaining('error: provoked')])
    const [, line] = /at <anonymous> \(src\/cli\/commands\.ts:(\d+):\d+\)/.exec(stderr) ?? []
    const source = (await Bun.file('src/cli/commands.ts').text()).split('\n')
    expect(source[Number(line) - 1]).toContain('console.log(')
    expect(stderr).toMatch(/node_modules\/commander\/lib\/command\.js:\d+:\d+/)
    expect(stderr).not.toContain('$bunfs')
  })
})

describe.skipIf(isOffline && !mustHaveAll)('a release', () => {
  const textOf = (name: string) => Bun.file(join(complete, name)).text()

  test('has an executable for every target, and what belongs to them', async () => {
    expect([made.exitCode, made.stderr]).toStrictEqual([0, ''])
    const names = ['SHA256SUMS', SBOM, CHART, ...Object.keys(TARGETS).map(fileOf)].toSorted()
    expect((await readdir(complete)).toSorted()).toStrictEqual(names)
    expect(made.stdout).toBe(names.map((name) => `${join(complete, name)}\n`).join(''))
    expect(await readdir(outdir)).toStrictEqual(['complete'])
  })

  test.each(Object.entries(MACHINES))('%s is for its machine', async (target, machine) => {
    expect(await machineOf(join(complete, fileOf(target)))).toBe(machine)
  })

  test('is of the commit', () => {
    const { stdout } = Bun.spawnSync([join(complete, fileOf(HOST)), 'version'])
    expect(stdout.toString()).toBe(`${VERSION} ${COMMIT}\n`)
  })

  test('can be checked by its sums', async () => {
    const check = Bun.spawnSync(['sha256sum', '--check', '--strict', 'SHA256SUMS'], {
      cwd: complete,
    })
    expect(check.exitCode).toBe(0)
    const names = (await textOf('SHA256SUMS')).trimEnd().split('\n')
    expect(names.map((line) => line.slice(66))).toStrictEqual(
      (await readdir(complete)).filter((name) => name !== 'SHA256SUMS').toSorted(),
    )
  })

  test(
    'is the same when it is made again, for production, and whatever is installed there and in the cache of Bun',
    async () => {
      const elsewhere = await openSource('elsewhere', source)
      await spoilPackage(elsewhere, 'diff')
      const BUN_INSTALL_CACHE_DIR = await spoiltCache()
      const again = join(outdir, 'again')
      const args = ['--outdir', again, '--target', HOST]
      const variables = { BUN_INSTALL_CACHE_DIR, NODE_ENV: 'production' }
      const { exitCode, stderr } = await release(args, variables, elsewhere)
      expect([exitCode, stderr]).toStrictEqual([0, ''])
      const sums = (await Bun.file(join(again, 'SHA256SUMS')).text()).trimEnd().split('\n')
      const [sum = ''] = sums.filter((line) => line.endsWith(fileOf(HOST)))
      expect(sum).toEndWith(fileOf(HOST))
      expect(await textOf('SHA256SUMS')).toContain(`${sum}\n`)
      expect((await readdir(again)).toSorted()).toStrictEqual(
        ['SHA256SUMS', SBOM, CHART, fileOf(HOST)].toSorted(),
      )
    },
    RELEASE_MS,
  )

  test('lists what was bundled, and nothing else', async () => {
    const { packages } = parseLock(await Bun.file('bun.lock').text())
    const inside = new Set(executable.modules.flatMap((module) => packageOf(module) ?? []))
    const expected = [...inside].map((key) => {
      const { name, version } = packages.get(key) ?? {}
      return `${name}@${version}`
    })
    const { components } = JSON.parse(await textOf(SBOM)) as {
      components: { name: string; version: string; components?: { name: string }[] }[]
    }
    const [bun, ...libraries] = components
    expect(libraries.map(({ name, version }) => `${name}@${version}`).toSorted()).toStrictEqual(
      expected.toSorted(),
    )
    expect([bun?.name, bun?.version]).toStrictEqual(['bun', Bun.version])
    expect(bun?.components).toHaveLength(Object.keys(TARGETS).length)
  })

  test('has an SBOM as CycloneDX defines it', async () => {
    const validate = await cycloneDx()
    const sbom = JSON.parse(await textOf(SBOM)) as { metadata: { timestamp: string } }
    validate(sbom)
    expect(validate.errors).toBeNull()
    expect(sbom.metadata.timestamp).toBe(WHEN.toISOString())
    for (const wrong of [
      { specVersion: 6 },
      { components: [{ name: 'x' }] },
      { serialNumber: '1' },
    ]) {
      expect(validate({ ...sbom, ...wrong })).toBe(false)
    }
  })
})

async function cycloneDx() {
  const schema = async (name: string) =>
    (await Bun.file(`tests/deploy/cyclonedx/${name}.schema.json`).json()) as object
  const ajv = new Ajv({ strict: false, formats: { 'iri-reference': true, 'idn-email': true } })
  addFormats(ajv)
  ajv.addSchema(await schema('spdx'), 'http://cyclonedx.org/schema/spdx.SNAPSHOT.schema.json')
  ajv.addSchema(
    await schema('jsf-0.82'),
    'http://cyclonedx.org/schema/jsf-0.82.SNAPSHOT.schema.json',
  )
  return ajv.compile(await schema('bom-1.6'))
}

describe('no release comes', () => {
  const none = join(outdir, 'none')

  async function refused(
    args: readonly string[],
    variables: Readonly<Record<string, string>> = {},
  ) {
    const { exitCode, stdout, stderr } = await release(['--outdir', none, ...args], variables)
    expect([exitCode, stdout]).toStrictEqual([1, ''])
    const left = await readdir(outdir)
    expect(left.filter((name) => name === 'none' || name.startsWith('.'))).toStrictEqual([])
    return stderr
  }

  test('without the network', async () => {
    const registry = { BUN_CONFIG_REGISTRY: 'http://127.0.0.1:1' }
    expect(await refused(['--target', 'linux-arm64'], registry)).toStartWith(
      'release: no Bun for linux-arm64: ConnectionRefused',
    )
  })

  test.each([{}, { BUN_CONFIG_NO_VERIFY: '1' }])(
    'of a Bun that is not the one that is pinned: %p',
    async (variables) => {
      using registry = Bun.serve({ port: 0, fetch: () => new Response('another Bun') })
      const stderr = await refused(['--target', 'darwin-arm64'], {
        BUN_CONFIG_REGISTRY: registry.url.origin,
        ...variables,
      })
      expect(stderr).toContain('release: no Bun for darwin-arm64: Integrity check failed')
    },
  )

  test('for a target that there is not', async () => {
    expect(await refused(['--target', 'solaris-sparc'])).toStartWith(
      'release: --target must be one of linux-amd64, ',
    )
  })

  test('of what nobody says which commit it is, and an older one stays', async () => {
    const older = join(outdir, 'older')
    await Bun.write(join(older, 'SHA256SUMS'), 'older')
    const { exitCode, stderr } = await release(['--outdir', older], { PORTICO_COMMIT: 'main' })
    expect([exitCode, stderr]).toStrictEqual([
      1,
      'release: PORTICO_COMMIT is 7 to 40 digits of a commit, not main\n',
    ])
    expect(await Bun.file(join(older, 'SHA256SUMS')).text()).toBe('older')
  })

  test('in the place of something else', async () => {
    const thesis = join(outdir, 'thesis')
    await Bun.write(join(thesis, 'SHA256SUMS'), '')
    await Bun.write(join(thesis, 'thesis.txt'), 'irreplaceable')
    const { exitCode, stderr } = await release(['--outdir', thesis])
    expect([exitCode, stderr]).toStrictEqual([
      1,
      `release: ${thesis} exists and is not a release\n`,
    ])
    expect((await readdir(thesis)).toSorted()).toStrictEqual(['SHA256SUMS', 'thesis.txt'])
  })
})

test('every target has its Bun pinned, in the version that bundles', async () => {
  const pinned = (await Bun.file('scripts/release/bun/package.json').json()) as {
    dependencies: object
  }
  const versions = Object.values(pinned.dependencies)
  expect(versions).toStrictEqual(Object.keys(TARGETS).map(() => Bun.version))
})
