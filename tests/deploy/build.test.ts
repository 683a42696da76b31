import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { build, catalogReader } from '#scripts/build.ts'

const folder = await mkdtemp(join(tmpdir(), 'portico-build-'))
afterAll(() => rm(folder, { recursive: true, force: true }))
const outfile = join(folder, 'portico')
const executable = await build({ outfile, commit: 'abcdef123456' })

async function sha256Of(path: string): Promise<string> {
  return new Bun.CryptoHasher('sha256').update(await Bun.file(path).arrayBuffer()).digest('hex')
}

describe('the executable', () => {
  test('is one file with nothing beside it', async () => {
    expect(executable.path).toBe(outfile)
    expect(await readdir(folder)).toStrictEqual(['portico'])
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
    expect(bytes.includes('abcdef123456')).toBe(true)
  })

  test('is the same for production as for tests', async () => {
    const again = join(folder, 'again/portico')
    const run = Bun.spawn([process.execPath, 'scripts/build.ts', '--outfile', again], {
      env: { ...process.env, NODE_ENV: 'production', PORTICO_COMMIT: 'abcdef123456' },
      stdout: 'ignore',
    })
    expect(await run.exited).toBe(0)
    expect(await sha256Of(again)).toBe(await sha256Of(outfile))
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
    const run = Bun.spawn([executable.path, 'config', 'list'], {
      env: { BUN_OPTIONS: `--preload ${preload}` },
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [stderr, exitCode] = await Promise.all([run.stderr.text(), run.exited])
    expect([exitCode, stderr]).toStrictEqual([1, expect.stringContaining('error: provoked')])
    const [, line] = /at <anonymous> \(src\/cli\/commands\.ts:(\d+):\d+\)/.exec(stderr) ?? []
    const source = (await Bun.file('src/cli/commands.ts').text()).split('\n')
    expect(source[Number(line) - 1]).toContain('console.log(')
    expect(stderr).toMatch(/node_modules\/commander\/lib\/command\.js:\d+:\d+/)
    expect(stderr).not.toContain('$bunfs')
  })
})
