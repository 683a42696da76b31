import type { AnswerOf } from '../../api/call.ts'

export type Release = AnswerOf<'get', '/api/v1/cli/releases'>[number]
export type Asset = Release['assets'][number]

/** The browser says this about the machine. */
export interface MachineFacts {
  /** `navigator.userAgentData.platform`, such as `macOS`; empty in browsers without it. */
  readonly platform: string
  /** `arm` or `x86`, from the same object. */
  readonly architecture: string
  readonly userAgent: string
}

export interface Machine {
  readonly os: Asset['os'] | null
  /** `null`: the browser does not tell, as Safari and Firefox on macOS. */
  readonly arch: Asset['arch'] | null
}

export function machineOf({ platform, architecture, userAgent }: MachineFacts): Machine {
  return { os: osOf(`${platform} ${userAgent}`), arch: archOf(architecture, userAgent) }
}

/** Phones say `Linux` and `Mac OS X` as well. */
function osOf(text: string): Machine['os'] {
  if (/Android|iPhone|iPad/i.test(text)) return null
  if (/Windows/i.test(text)) return 'windows'
  if (/Mac/i.test(text)) return 'darwin'
  return /Linux/i.test(text) ? 'linux' : null
}

function archOf(architecture: string, userAgent: string): Machine['arch'] {
  if (architecture === 'arm' || /aarch64|arm64/i.test(userAgent)) return 'arm64'
  if (architecture === 'x86') return 'amd64'
  // Every Mac says Intel.
  if (/Macintosh/.test(userAgent)) return null
  return /x86_64|x64|amd64|Win64|WOW64/i.test(userAgent) ? 'amd64' : null
}

const isFor = ({ os, arch }: Asset, machine: Machine): boolean =>
  os === machine.os && (machine.arch === null || arch === machine.arch)

/** Files for this machine first, all others in the order of the list. */
export const forMachineFirst = (assets: readonly Asset[], machine: Machine): readonly Asset[] => [
  ...assets.filter((asset) => isFor(asset, machine)),
  ...assets.filter((asset) => !isFor(asset, machine)),
]

/** The one file for this machine, when the browser tells enough. */
export function fileFor(assets: readonly Asset[], machine: Machine): Asset | undefined {
  const [first, ...more] = assets.filter((asset) => isFor(asset, machine))
  return more.length === 0 ? first : undefined
}

const SYSTEMS = { linux: 'Linux', windows: 'Windows' } as const
const ARCHITECTURES = { amd64: 'Intel or AMD', arm64: 'ARM' } as const

/** `Linux, Intel or AMD`. */
export const platformWords = ({ os, arch }: Pick<Asset, 'os' | 'arch'>): string =>
  os === 'darwin'
    ? `macOS, ${arch === 'arm64' ? 'Apple silicon' : 'Intel'}`
    : `${SYSTEMS[os]}, ${ARCHITECTURES[arch]}`

const KILO = 1_000

/** `12.6 MB`. */
export function sizeWords(bytes: number): string {
  if (bytes < KILO) return `${bytes} bytes`
  if (bytes < KILO * KILO) return `${(bytes / KILO).toFixed(1)} kB`
  return `${(bytes / KILO / KILO).toFixed(1)} MB`
}

/** `portico` of the tag `portico-v1.4.0`. */
const programOf = ({ tag, version }: Pick<Release, 'tag' | 'version'>): string =>
  tag.endsWith(version) ? tag.slice(0, -version.length).replace(/-v?$/, '') : tag

/** Names that a shell takes as they are. */
const PLAIN = /^[A-Za-z0-9][\w.+-]*$/
const ARCHIVE = /\.(?:tar(?:\.\w+)?|tgz|txz|tbz2|zip|gz|xz|bz2|zst)$/

/** A line for a terminal that puts the downloaded program in its place; `null` for an archive, which has to be unpacked. */
export function installLine(
  { filename }: Pick<Asset, 'filename'>,
  release: Pick<Release, 'tag' | 'version'>,
): string | null {
  const program = programOf(release)
  if (ARCHIVE.test(filename) || !PLAIN.test(filename) || !PLAIN.test(program)) return null
  return `mkdir -p ~/.local/bin && install -m 755 ~/Downloads/${filename} ~/.local/bin/${program}`
}

export const loginLine = (release: Pick<Release, 'tag' | 'version'>, origin: string): string =>
  `${programOf(release)} login ${origin}`

/** Compares the digest of a downloaded file in PowerShell. */
export const digestLine = ({ filename, sha256 }: Asset): string | null =>
  sha256 === null
    ? null
    : `(Get-FileHash -Algorithm SHA256 "$HOME\\Downloads\\${filename}").Hash -eq "${sha256}"`

/** User-agent client hints (https://wicg.github.io/ua-client-hints/), which TypeScript does not know and Chromium alone has. */
interface ClientHints {
  readonly platform: string
  getHighEntropyValues(hints: readonly string[]): Promise<{ readonly architecture?: string }>
}

/** The browser has the object as a whole, or not at all. */
function clientHints(): ClientHints | undefined {
  const value: unknown = Reflect.get(navigator, 'userAgentData')
  const isThere = typeof value === 'object' && value !== null && 'getHighEntropyValues' in value
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return isThere ? (value as unknown as ClientHints) : undefined
}

export async function readMachine(): Promise<Machine> {
  const hints = clientHints()
  const detailed = await hints?.getHighEntropyValues(['architecture']).catch(() => undefined)
  return machineOf({
    platform: hints?.platform ?? '',
    architecture: detailed?.architecture ?? '',
    userAgent: navigator.userAgent,
  })
}
