/**
 * `bun run release [--images] [--target linux-arm64]… [--outdir dist/release]`: the executables, the chart, their checksums and the SBOM. The folder
 * appears when it is complete. Reasons: docs/decisions/release.md.
 */
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { license, version } from '../package.json'
import { build, isTarget, TARGETS, type Target } from './build.ts'
import { type BunOfTarget, fetchBun } from './release/bun-of-target.ts'
import { packChart } from './release/chart.ts'
import { contentsOf, licensed } from './release/contents.ts'
import { parseLock } from './release/lock.ts'
import { CHECKSUMS, olderRelease, replaceRelease } from './release/older-release.ts'
import { ARCHITECTURES, type Architecture, debianLayer } from './release/debian.ts'
import { ociArchive, porticoLayer, type TarEntry } from './release/image.ts'
import { type Origin, originOf } from './release/origin.ts'
import { ReleaseFailure } from './release/release-failure.ts'
import { sbomOf } from './release/sbom.ts'
import { copySource } from './release/source.ts'

interface ReleaseRequest {
  readonly targets: readonly Target[]
  readonly folder: string
  /** Whether images for Linux are made too. */
  readonly images: boolean
}

async function release({ targets, folder, images }: ReleaseRequest): Promise<void> {
  const origin = await originOf('.', process.env)
  const chart = await packChart()
  await olderRelease(folder)
  await mkdir(dirname(folder), { recursive: true })
  const scratch = await mkdtemp(join(dirname(folder), '.release-'))
  const [made, source] = [join(scratch, 'release'), join(scratch, 'source')]
  try {
    // Before the working directory changes.
    const layers = images ? await debianLayers(targets, scratch) : []
    const buns: (BunOfTarget & { target: Target })[] = []
    for (const target of targets) {
      buns.push({ target, ...(await fetchBun(target, join(scratch, target))) })
    }
    await copySource(source)
    // The bundler names modules by their paths from the working directory.
    process.chdir(source)
    const modules = new Set<string>()
    for (const { target, program } of buns) {
      const outfile = join(made, `portico-${target}`)
      const executable = await build({ target, outfile, commit: origin.commit, bun: program })
      for (const module of executable.modules) modules.add(module)
    }
    for (const [architecture, layer] of layers) {
      await writeImage(made, origin, architecture, layer)
    }
    await writeSbom(made, origin, [...modules], buns)
    await Bun.write(join(made, `portico-${version}.tgz`), chart)
    await writeChecksums(made)
    await replaceRelease(made, folder)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

async function debianLayers(targets: readonly Target[], scratch: string) {
  const layers: [Architecture, readonly TarEntry[]][] = []
  for (const architecture of ARCHITECTURES) {
    if (!targets.includes(`linux-${architecture}`)) continue
    layers.push([architecture, await debianLayer(architecture, scratch)])
  }
  return layers
}

async function writeImage(
  folder: string,
  { commit, committedAt }: Origin,
  architecture: Architecture,
  debian: readonly TarEntry[],
): Promise<void> {
  const executable = await Bun.file(join(folder, `portico-linux-${architecture}`)).bytes()
  const layers = [debian, porticoLayer(executable)]
  const createdAt = committedAt.toISOString()
  const image = ociArchive({ architecture, version, commit, createdAt, layers })
  await Bun.write(join(folder, `portico-${version}-linux-${architecture}.oci.tar`), image)
}

async function writeSbom(
  folder: string,
  origin: Origin,
  modules: readonly string[],
  buns: readonly BunOfTarget[],
): Promise<void> {
  const lock = parseLock(await Bun.file('bun.lock').text())
  const sbom = sbomOf({
    version,
    licence: license,
    origin,
    packages: await contentsOf(modules, lock),
    direct: lock.direct,
    buns: await Promise.all(buns.map((bun) => licensed(bun, bun.folder))),
  })
  const path = join(folder, `portico-${version}.cdx.json`)
  await Bun.write(path, `${JSON.stringify(sbom, null, 2)}\n`)
}

/** In the format of `sha256sum *`. */
async function writeChecksums(folder: string): Promise<void> {
  const lines = (await readdir(folder)).toSorted().map(async (name) => {
    const hash = new Bun.CryptoHasher('sha256')
    for await (const part of Bun.file(join(folder, name)).stream()) hash.update(part)
    return `${hash.digest('hex')}  ${name}\n`
  })
  await Bun.write(join(folder, CHECKSUMS), (await Promise.all(lines)).join(''))
}

function parseRequest(args: readonly string[]): ReleaseRequest {
  const { values } = parseArgs({
    args: [...args],
    options: {
      target: { type: 'string', multiple: true, default: Object.keys(TARGETS) },
      images: { type: 'boolean', default: false },
      outdir: { type: 'string', default: 'dist/release' },
    },
  })
  const targets = values.target.filter(isTarget)
  if (targets.length < values.target.length) {
    throw new ReleaseFailure(`--target must be one of ${Object.keys(TARGETS).join(', ')}`)
  }
  const { images, outdir } = values
  return { targets: [...new Set(targets)], folder: resolve(outdir), images }
}

try {
  const request = parseRequest(process.argv.slice(2))
  await release(request)
  for (const name of (await readdir(request.folder)).toSorted()) {
    console.log(join(request.folder, name))
  }
} catch (error) {
  if (!(error instanceof ReleaseFailure)) throw error
  console.error(`release: ${error.message}`)
  process.exit(1)
}
