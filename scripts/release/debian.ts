/**
 * What an image has beside Portico: libc, git with its transport over https, certificate authorities and time zones of Debian 12, as
 * `debian.lock` pins them. Needs `apt-get` and `dpkg-deb`. `bun scripts/release/debian.ts` locks what Debian has now.
 */
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { entriesBelow, type TarEntry } from './image.ts'
import { ReleaseFailure } from './release-failure.ts'

const LOCK = 'scripts/release/debian.lock'
export const ARCHITECTURES = ['amd64', 'arm64'] as const
export type Architecture = (typeof ARCHITECTURES)[number]

/** The first four have more than libraries. The others are what git and its curl are linked with. */
export const PACKAGES =
  'ca-certificates git libc6 tzdata libbrotli1 libcom-err2 libcurl3-gnutls libffi8 libgmp10 libgnutls30 libgssapi-krb5-2 libhogweed6 libidn2-0 libk5crypto3 libkeyutils1 libkrb5-3 libkrb5support0 libldap-2.5-0 libnettle8 libnghttp2-14 libp11-kit0 libpcre2-8-0 libpsl5 librtmp1 libsasl2-2 libssh2-1 libssl3 libtasn1-6 libunistring2 libzstd1 zlib1g'.split(
    ' ',
  )

/** Of all that the packages have. */
const FILES = [
  /^(?:usr\/)?lib\/[^/]+-linux-gnu\/[^/]+\.so[^/]*$/,
  /^lib(?:64)?\/ld-linux[^/]*$/,
  /^usr\/bin\/git$/,
  /^usr\/lib\/git-core\/git-remote-https?$/,
  /^usr\/share\/zoneinfo\//,
  /^usr\/share\/doc\/[^/]+\/copyright$/,
]
const AUTHORITY = /^usr\/share\/ca-certificates\/mozilla\/.+\.crt$/

const text = (content: string) => new TextEncoder().encode(content)
const folder = (name: string, mode = 0o755): TarEntry => ({ name, mode, content: 'folder' })
const link = (name: string, to: string): TarEntry => ({ name, mode: 0o777, content: { link: to } })
const file = (name: string, content: Uint8Array): TarEntry => ({ name, mode: 0o644, content })

/** Downloads the packages of an architecture, and answers their files by name. Apt checks Debian's signatures. */
async function download(architecture: Architecture, scratch: string): Promise<readonly string[]> {
  const state = join(scratch, `apt-${architecture}`)
  await mkdir(join(state, 'lists', 'partial'), { recursive: true })
  await mkdir(join(state, 'cache', 'archives', 'partial'), { recursive: true })
  await Bun.write(join(state, 'status'), '')
  const options = [
    `Dir::State=${state}`,
    `Dir::State::status=${state}/status`,
    `Dir::Cache=${state}/cache`,
    `APT::Architecture=${architecture}`,
    `APT::Architectures=${architecture}`,
    'APT::Sandbox::User=root',
  ].flatMap((option) => ['-o', option])
  for (const command of [['update'], ['download', ...PACKAGES]]) {
    const ran = await Bun.$`apt-get -qq ${options} ${command}`.cwd(state).nothrow().quiet()
    if (ran.exitCode !== 0) {
      throw new ReleaseFailure(`apt-get ${command[0]}: ${ran.stderr.toString().trim()}`)
    }
  }
  const names = await readdir(state)
  return names.filter((name) => name.endsWith('.deb')).map((name) => join(state, name))
}

async function lineOf(deb: string): Promise<string> {
  const hash = new Bun.CryptoHasher('sha256').update(await Bun.file(deb).bytes())
  return `${hash.digest('hex')}  ${decodeURIComponent(basename(deb))}`
}

/** The lowest layer of an image. */
export async function debianLayer(
  architecture: Architecture,
  scratch: string,
): Promise<readonly TarEntry[]> {
  const locked = new Set((await Bun.file(LOCK).text()).trim().split('\n'))
  const debs = await download(architecture, scratch)
  const root = join(scratch, `root-${architecture}`)
  for (const deb of debs) {
    const line = await lineOf(deb)
    if (!locked.has(line)) {
      throw new ReleaseFailure(`Debian has another ${basename(deb)} than ${LOCK}: lock it anew`)
    }
    await Bun.$`dpkg-deb -x ${deb} ${root}`.quiet()
  }
  return layerOf(await entriesBelow(root))
}

/** The files of the packages that an image has, and the few that Debian writes at an installation. */
export function layerOf(all: readonly TarEntry[]): readonly TarEntry[] {
  const picked = all
    .filter(({ name, content }) => content !== 'folder' && FILES.some((each) => each.test(name)))
    // `/lib` is a link, as everywhere in Debian 12.
    .map((entry) =>
      entry.name.startsWith('lib') ? { ...entry, name: `usr/${entry.name}` } : entry,
    )
  const authorities = all
    .filter(({ name }) => AUTHORITY.test(name))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap(({ content }) => (content instanceof Uint8Array ? [content, text('\n')] : []))
  const made = [
    link('lib', 'usr/lib'),
    link('lib64', 'usr/lib64'),
    link('bin', 'usr/bin'),
    folder('tmp', 0o1777),
    ...['dev', 'proc', 'sys'].map((name) => folder(name)),
    file(
      'etc/passwd',
      text(
        'root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/data:/sbin/nologin\n',
      ),
    ),
    file('etc/group', text('root:x:0:\nnonroot:x:65532:\n')),
    file('etc/nsswitch.conf', text('hosts: files dns\n')),
    file('etc/ssl/certs/ca-certificates.crt', Buffer.concat(authorities)),
  ]
  const files = [...new Map([...picked, ...made].map((entry) => [entry.name, entry])).values()]
  const folders = new Set(
    files.flatMap(({ name }) => {
      const parts = name.split('/').slice(0, -1)
      return parts.map((_, index) => parts.slice(0, index + 1).join('/'))
    }),
  )
  return [...[...folders].map((name) => folder(name)), ...files]
}

if (import.meta.main) {
  const scratch = await mkdtemp(join(tmpdir(), 'portico-debian-'))
  const lines: string[] = []
  for (const architecture of ARCHITECTURES) {
    for (const deb of await download(architecture, scratch)) lines.push(await lineOf(deb))
  }
  await Bun.write(
    LOCK,
    `${[...new Set(lines)].toSorted((a, b) => a.slice(64).localeCompare(b.slice(64))).join('\n')}\n`,
  )
  await rm(scratch, { recursive: true })
}
