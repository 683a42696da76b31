import { expect, test } from 'bun:test'
import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { PACKAGES, layerOf } from '#scripts/release/debian.ts'
import {
  entriesBelow,
  ociArchive,
  porticoLayer,
  type TarEntry,
  tarOf,
} from '#scripts/release/image.ts'
import { parseDockerfile, textsOf } from '#tests/support/dockerfile.ts'
import { openFolder } from '#tests/support/open-folder.ts'

const text = (content: string) => new TextEncoder().encode(content)
const file = (name: string, content = name): TarEntry => ({
  name,
  mode: 0o644,
  content: text(content),
})
const EXECUTABLE = text('\x7fELF')

const imageOf = (layers = [[file('etc/passwd')], porticoLayer(EXECUTABLE)]) =>
  ociArchive({
    architecture: 'amd64',
    version: '1.2.3',
    commit: 'abcdef123456',
    createdAt: '2026-01-01T00:00:00.000Z',
    layers,
  })

const tar = (bytes: Uint8Array<ArrayBuffer>, ...options: readonly string[]) =>
  Bun.$`tar ${options} < ${new Response(bytes)}`.quiet()

interface Descriptor {
  readonly digest: string
  readonly size: number
  readonly mediaType: string
}

async function opened(archive: Uint8Array<ArrayBuffer>) {
  const read = async (name: string) => (await tar(archive, '-xO', name)).bytes()
  const json = async (name: string): Promise<unknown> =>
    JSON.parse(new TextDecoder().decode(await read(name)))
  const blob = async ({ digest, size }: Descriptor) => {
    const bytes = new Uint8Array(await read(`blobs/${digest.replace(':', '/')}`))
    const hash = new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
    expect([`sha256:${hash}`, bytes.length]).toStrictEqual([digest, size])
    return bytes
  }
  const parsed = async (descriptor: Descriptor): Promise<unknown> =>
    JSON.parse(new TextDecoder().decode(await blob(descriptor)))
  const index = (await json('index.json')) as { manifests: [Descriptor] }
  const manifest = (await parsed(index.manifests[0])) as {
    config: Descriptor
    layers: Descriptor[]
  }
  const config = (await parsed(manifest.config)) as {
    config: Readonly<Record<string, unknown>>
    rootfs: { diff_ids: string[] }
  }
  const layers = await Promise.all(
    manifest.layers.map(async (layer) => Bun.gunzipSync(await blob(layer))),
  )
  return { index, config, layers, layout: await json('oci-layout') }
}

test('is an OCI layout: every blob has the name of its digest', async () => {
  const { config, layers, layout, index } = await opened(imageOf())
  expect(layout).toStrictEqual({ imageLayoutVersion: '1.0.0' })
  expect(index.manifests).toMatchObject([{ platform: { architecture: 'amd64', os: 'linux' } }])
  expect(config.rootfs.diff_ids).toStrictEqual(
    layers.map((layer) => `sha256:${new Bun.CryptoHasher('sha256').update(layer).digest('hex')}`),
  )
})

test('has the rights and owners that are asked for, and the same bytes each time', async () => {
  const { layers } = await opened(imageOf())
  const listed = (await tar(layers[1] ?? new Uint8Array(), '-tv', '--numeric-owner')).text()
  expect(
    listed
      .trim()
      .split('\n')
      .map((line) => line.replaceAll(/\s+/g, ' ')),
  ).toStrictEqual([
    'drwxr-xr-x 65532/65532 0 1970-01-01 00:00 data',
    '-rwxr-xr-x 0/0 4 1970-01-01 00:00 portico',
  ])
  expect(
    imageOf().equals(imageOf([[file('etc/passwd')], porticoLayer(EXECUTABLE).toReversed()])),
  ).toBe(true)
})

test('is configured as the Dockerfile says', async () => {
  const { config } = await opened(imageOf())
  const stages = parseDockerfile(await Bun.file('Dockerfile').text())
  const image = stages.find(({ name }) => name === 'portico')
  if (image === undefined) throw new Error('no stage')
  const said = (name: string) => textsOf(image, name).join(' ')
  const { User, Entrypoint, Cmd, Volumes, ExposedPorts, Env } = config.config
  expect([User, JSON.stringify(Entrypoint), JSON.stringify(Cmd)]).toStrictEqual([
    said('USER'),
    said('ENTRYPOINT'),
    said('CMD'),
  ])
  expect(Object.keys(Volumes as object).join(' ')).toBe(said('VOLUME'))
  expect(Object.keys(ExposedPorts as object).join(' ')).toBe(
    said('EXPOSE').replaceAll(/\b\d+\b/g, '$&/tcp'),
  )
  expect(Env).toStrictEqual(['PATH=/usr/bin:/bin', ...said('ENV').split(/\s+/)])
})

test('of Debian there are libraries, git, time zones and authorities, and no other program', () => {
  const layer = layerOf([
    file('bin/dash'),
    file('lib/x86_64-linux-gnu/libc.so.6'),
    { name: 'lib64/ld-linux-x86-64.so.2', mode: 0o777, content: { link: '/lib/x' } },
    file('usr/bin/git'),
    file('usr/bin/git-shell'),
    file('usr/lib/git-core/git-remote-https'),
    file('usr/lib/git-core/git-add--interactive'),
    file('usr/share/doc/git/copyright'),
    file('usr/share/doc/git/README.md'),
    file('usr/share/ca-certificates/mozilla/b.crt', 'B'),
    file('usr/share/ca-certificates/mozilla/a.crt', 'A'),
  ])
  const names = layer.filter(({ content }) => content !== 'folder').map(({ name }) => name)
  expect(names.toSorted()).toStrictEqual([
    'bin',
    'etc/group',
    'etc/nsswitch.conf',
    'etc/passwd',
    'etc/ssl/certs/ca-certificates.crt',
    'lib',
    'lib64',
    'usr/bin/git',
    'usr/lib/git-core/git-remote-https',
    'usr/lib/x86_64-linux-gnu/libc.so.6',
    'usr/lib64/ld-linux-x86-64.so.2',
    'usr/share/doc/git/copyright',
  ])
  const authorities = layer.find(({ name }) => name === 'etc/ssl/certs/ca-certificates.crt')
  expect(authorities?.content).toEqual(Buffer.from('A\nB\n'))
  const folders = layer.filter(({ content }) => content === 'folder').map(({ name }) => name)
  expect(folders).toContain('usr/share/doc')
  expect(folders).toContain('tmp')
})

test('no link below a folder is followed', async () => {
  await using place = await openFolder()
  const { path: folder } = place
  await mkdir(join(folder, 'zones'))
  await Bun.write(join(folder, 'zones/UTC'), 'utc')
  await symlink('.', join(folder, 'zones/posix'))
  const found = await entriesBelow(folder)
  expect(found.map(({ name }) => name).toSorted()).toStrictEqual([
    'zones',
    'zones/UTC',
    'zones/posix',
  ])
})

test('every package is locked, for both processors', async () => {
  const lines = (await Bun.file('scripts/release/debian.lock').text()).trim().split('\n')
  for (const line of lines)
    expect(line).toMatch(/^[0-9a-f]{64} {2}[a-z0-9.+-]+_[^_]+_(?:amd64|arm64|all)\.deb$/)
  for (const architecture of ['amd64', 'arm64', 'all']) {
    const names = lines.filter((line) => line.endsWith(`_${architecture}.deb`))
    const packages = names.map((line) => line.slice(66).split('_')[0] ?? '')
    expect(PACKAGES).toEqual(expect.arrayContaining(packages))
    if (architecture !== 'all') expect(packages.length).toBe(PACKAGES.length - 2)
  }
})

test('a name that a tar header does not hold is refused', () => {
  expect(() => tarOf([file('x'.repeat(100))])).toThrow('too long')
})
