import { afterAll, describe, expect, test } from 'bun:test'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build, TARGETS, type Target } from '#scripts/build.ts'
import { packageOf } from '#scripts/release/contents.ts'
import { parseLock } from '#scripts/release/lock.ts'
import { VERSION } from '#src/version.ts'
import { mustHaveAll } from '#tests/support/must-have-all.ts'

const COMMIT = 'abcdef123456'
const WHEN = new Date('2026-11-20T08:09:10Z')
const RELEASE_MS = 120_000
const SBOM = `portico-${VERSION}.cdx.json`
const HOST = `linux-${process.arch === 'x64' ? 'amd64' : 'arm64'}` as const

const folder = await mkdtemp(join(tmpdir(), 'portico-release-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

async function release(args: readonly string[], variables: Readonly<Record<string, string>> = {}) {
  const run = Bun.spawn([process.execPath, 'scripts/release.ts', ...args], {
    env: {
      ...process.env,
      PORTICO_COMMIT: COMMIT,
      SOURCE_DATE_EPOCH: String(WHEN.getTime() / 1_000),
      ...variables,
    },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [stdout, stderr] = await Promise.all([run.stdout.text(), run.stderr.text()])
  return { exitCode: await run.exited, stdout, stderr }
}

const complete = join(folder, 'complete')
const made = await release(['--outdir', complete])
const isOffline = made.stderr.startsWith('release: no Bun for')

/** The machine that a program is for, by the first bytes of its file. */
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

describe.skipIf(isOffline && !mustHaveAll)('a release', () => {
  const textOf = (name: string) => Bun.file(join(complete, name)).text()

  test('has an executable for every target, and what belongs to them', async () => {
    expect([made.exitCode, made.stderr]).toStrictEqual([0, ''])
    const names = ['SHA256SUMS', SBOM, ...Object.keys(TARGETS).map(fileOf)].toSorted()
    expect((await readdir(complete)).toSorted()).toStrictEqual(names)
    expect(made.stdout).toBe(names.map((name) => `${join(complete, name)}\n`).join(''))
    expect(await readdir(folder)).toStrictEqual(['complete'])
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
    'is the same when it is made again',
    async () => {
      const again = join(folder, 'again')
      expect((await release(['--outdir', again, '--target', HOST])).exitCode).toBe(0)
      const sums = (await Bun.file(join(again, 'SHA256SUMS')).text()).trimEnd().split('\n')
      const [sum = ''] = sums.filter((line) => line.endsWith(fileOf(HOST)))
      expect(sum).toEndWith(fileOf(HOST))
      expect(await textOf('SHA256SUMS')).toContain(`${sum}\n`)
      expect((await readdir(again)).toSorted()).toStrictEqual(['SHA256SUMS', SBOM, fileOf(HOST)])
    },
    RELEASE_MS,
  )

  test('lists what was bundled, and nothing else', async () => {
    const outfile = join(folder, 'listed/portico')
    const { modules } = await build({ outfile, commit: COMMIT })
    const { packages } = parseLock(await Bun.file('bun.lock').text())
    const inside = new Set(modules.flatMap((module) => packageOf(module) ?? []))
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
  const outdir = join(folder, 'none')
  const withoutCache = (registry: string) => ({
    BUN_CONFIG_REGISTRY: registry,
    BUN_INSTALL_CACHE_DIR: join(folder, 'cache'),
  })

  async function refused(
    args: readonly string[],
    variables: Readonly<Record<string, string>> = {},
  ) {
    const { exitCode, stdout, stderr } = await release(['--outdir', outdir, ...args], variables)
    expect([exitCode, stdout]).toStrictEqual([1, ''])
    const left = await readdir(folder)
    expect(left.filter((name) => name === 'none' || name.startsWith('.'))).toStrictEqual([])
    return stderr
  }

  test('without the network, and an older one is not taken for it', async () => {
    await Bun.write(join(outdir, 'SHA256SUMS'), '')
    const stderr = await refused(['--target', 'linux-arm64'], withoutCache('http://127.0.0.1:1'))
    expect(stderr).toStartWith('release: no Bun for linux-arm64: ConnectionRefused')
  })

  test('of a Bun that is not the one that is pinned', async () => {
    using registry = Bun.serve({ port: 0, fetch: () => new Response('another Bun') })
    const stderr = await refused(['--target', 'darwin-arm64'], withoutCache(registry.url.origin))
    expect(stderr).toContain('release: no Bun for darwin-arm64: Integrity check failed')
  })

  test('for a target that there is not', async () => {
    expect(await refused(['--target', 'solaris-sparc'])).toStartWith(
      'release: --target must be one of linux-amd64, ',
    )
  })

  test('in the place of something else', async () => {
    const elsewhere = join(folder, 'elsewhere')
    await Bun.write(join(elsewhere, 'thesis.txt'), 'irreplaceable')
    const { exitCode, stderr } = await release(['--outdir', elsewhere])
    expect([exitCode, stderr]).toStrictEqual([
      1,
      `release: ${elsewhere} is there, and is not a release\n`,
    ])
    expect(await readdir(elsewhere)).toStrictEqual(['thesis.txt'])
  })
})

test('every target has its Bun pinned, in the version that bundles', async () => {
  const pinned = (await Bun.file('scripts/release/bun/package.json').json()) as {
    dependencies: object
  }
  const versions = Object.values(pinned.dependencies)
  expect(versions).toStrictEqual(Object.keys(TARGETS).map(() => Bun.version))
})
