import { lstat, readdir, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { headerOf, paddingOf } from '#src/cli/backup/archive.ts'

/** Two empty blocks end a tar file. */
const END = new Uint8Array(1_024)
const PORTICO_USER = 65_532

export interface TarEntry {
  /** Without a slash before it. */
  readonly name: string
  readonly mode: number
  readonly user?: number
  readonly content: Uint8Array | { readonly link: string } | 'folder'
}

const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`

/** A tar file of these entries in the order of their names, as of 1970. */
export function tarOf(entries: readonly TarEntry[]): Buffer<ArrayBuffer> {
  const parts: Uint8Array[] = []
  for (const { name, mode, user = 0, content } of entries.toSorted((a, b) =>
    a.name < b.name ? -1 : 1,
  )) {
    const bytes = content instanceof Uint8Array ? content : new Uint8Array()
    if (Buffer.byteLength(name) > 99) throw new Error(`too long for a tar header: ${name}`)
    const header = headerOf(name, bytes.length)
    header.write(octal(mode, 7) + octal(user, 7).repeat(2), 100, 'latin1')
    if (content === 'folder') header.write('5', 156)
    else if (!(content instanceof Uint8Array)) header.write(`2${content.link}`, 156)
    else header.write('0', 156)
    header.write(' '.repeat(8), 148, 'latin1')
    const sum = header.reduce((total, byte) => total + byte, 0)
    header.write(`${octal(sum, 6)} `, 148, 'latin1')
    parts.push(header, bytes, new Uint8Array(paddingOf(bytes.length)))
  }
  return Buffer.concat([...parts, END])
}

/** The files, links and folders below a folder. Owners are root's, and no link is followed. */
export async function entriesBelow(root: string, below = ''): Promise<readonly TarEntry[]> {
  const entries: TarEntry[] = []
  for (const file of await readdir(join(root, below), { withFileTypes: true })) {
    const name = join(below, file.name)
    const path = join(root, name)
    if (file.isDirectory()) {
      entries.push({ name, mode: 0o755, content: 'folder' }, ...(await entriesBelow(root, name)))
    } else if (file.isSymbolicLink()) {
      entries.push({ name, mode: 0o777, content: { link: await readlink(path) } })
    } else {
      const { mode } = await lstat(path)
      entries.push({ name, mode: mode & 0o755, content: await Bun.file(path).bytes() })
    }
  }
  return entries
}

/** What Portico needs around it: `/data` is its own, everybody writes to `/tmp`. */
export const porticoLayer = (executable: Uint8Array): readonly TarEntry[] => [
  { name: 'data', mode: 0o755, user: PORTICO_USER, content: 'folder' },
  { name: 'portico', mode: 0o755, content: executable },
]

/** As the Dockerfile says; a test compares them. */
const CONFIG = {
  User: `${PORTICO_USER}:${PORTICO_USER}`,
  ExposedPorts: { '8080/tcp': {}, '9090/tcp': {} },
  Env: [
    'PATH=/usr/bin:/bin',
    'DATA_DIR=/data',
    'TMPDIR=/data',
    'BUN_CONFIG_MAX_HTTP_REQUESTS=4096',
  ],
  Entrypoint: ['/portico'],
  Cmd: ['serve'],
  Volumes: { '/data': {} },
  WorkingDir: '/',
}

export interface ImageRequest {
  readonly architecture: 'amd64' | 'arm64'
  readonly version: string
  readonly commit: string
  /** RFC 3339. */
  readonly createdAt: string
  /** From the bottom to the top. */
  readonly layers: readonly (readonly TarEntry[])[]
}

const digestOf = (bytes: Uint8Array) =>
  `sha256:${new Bun.CryptoHasher('sha256').update(bytes).digest('hex')}`

/** An image as an OCI layout in a tar file, for `skopeo copy oci-archive:…`, `podman load` and `docker load`. */
export function ociArchive({
  architecture,
  version,
  commit,
  createdAt,
  layers,
}: ImageRequest): Buffer<ArrayBuffer> {
  const blobs: TarEntry[] = []
  function blob(mediaType: string, bytes: Uint8Array) {
    const digest = digestOf(bytes)
    blobs.push({ name: `blobs/${digest.replace(':', '/')}`, mode: 0o644, content: bytes })
    return { mediaType, digest, size: bytes.length }
  }
  const json = (value: object) => new TextEncoder().encode(JSON.stringify(value))
  const tars = layers.map(tarOf)
  const config = blob(
    'application/vnd.oci.image.config.v1+json',
    json({
      created: createdAt,
      architecture,
      os: 'linux',
      config: {
        ...CONFIG,
        Labels: {
          'org.opencontainers.image.version': version,
          'org.opencontainers.image.revision': commit,
          'org.opencontainers.image.licenses': 'Apache-2.0',
        },
      },
      rootfs: { type: 'layers', diff_ids: tars.map(digestOf) },
    }),
  )
  const manifest = blob(
    'application/vnd.oci.image.manifest.v1+json',
    json({
      schemaVersion: 2,
      mediaType: 'application/vnd.oci.image.manifest.v1+json',
      config,
      layers: tars.map((tar) =>
        blob('application/vnd.oci.image.layer.v1.tar+gzip', Bun.gzipSync(tar)),
      ),
    }),
  )
  const annotations = { 'org.opencontainers.image.ref.name': version }
  const index = {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.index.v1+json',
    manifests: [{ ...manifest, platform: { architecture, os: 'linux' }, annotations }],
  }
  const folders = ['blobs', 'blobs/sha256'].map((name): TarEntry => ({
    name,
    mode: 0o755,
    content: 'folder',
  }))
  return tarOf([
    { name: 'oci-layout', mode: 0o644, content: json({ imageLayoutVersion: '1.0.0' }) },
    { name: 'index.json', mode: 0o644, content: json(index) },
    ...folders,
    ...blobs,
  ])
}
