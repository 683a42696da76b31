import { createHash } from 'node:crypto'
import { people } from '../people.ts'
import { file } from './file.ts'
import type { SeedCommit } from './git-history.ts'
import type { NewRelease } from '../releases.ts'

/** Releases contain readable scripts instead of binaries, so that visitors can read and run a download. */
const platforms = [
  { os: 'linux', arch: 'amd64' },
  { os: 'linux', arch: 'arm64' },
  { os: 'darwin', arch: 'amd64' },
  { os: 'darwin', arch: 'arm64' },
  { os: 'windows', arch: 'amd64' },
] as const

type Platform = (typeof platforms)[number]

interface SeedRelease {
  readonly daysAgo: number
  readonly version: string
  readonly notes: string
  readonly stage: 'published' | 'prerelease' | 'draft'
}

const releases: readonly SeedRelease[] = [
  {
    daysAgo: 75.2,
    version: '1.4.0',
    notes: '- `portico promote` shows the diff before it asks\n- `portico pods` follows restarts',
    stage: 'published',
  },
  {
    daysAgo: 14.4,
    version: '1.5.0-rc.1',
    notes: '- try `portico new` with a template of your own',
    stage: 'prerelease',
  },
  {
    daysAgo: 2.1,
    version: '1.5.0',
    notes: '- `portico new`\n- TODO: mention the new configuration file',
    stage: 'draft',
  },
]

const filenameOf = ({ os, arch }: Platform) =>
  `portico-${os}-${arch}${os === 'windows' ? '.exe' : ''}`

const programFor = ({ os, arch }: Platform, version: string) =>
  os === 'windows'
    ? `@echo off\r\nrem Stand-in for the portico command line client in the demo.\r\necho portico ${version} (${os}/${arch})\r\n`
    : `#!/bin/sh
# Stand-in for the portico command line client in the demo.
set -eu
case "\${1:-version}" in
  version | --version) echo "portico ${version} (${os}/${arch})" ;;
  *) echo "portico: this stand-in of the demo supports the command version only" >&2; exit 64 ;;
esac
`

const encode = (text: string) => new TextEncoder().encode(text)
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

function toRelease({ version, notes, stage }: SeedRelease): NewRelease {
  const programs = platforms.map((platform) => ({
    filename: filenameOf(platform),
    bytes: encode(programFor(platform, version)),
  }))
  const checksums = programs.map(({ filename, bytes }) => `${sha256(bytes)}  ${filename}\n`)
  return {
    tag: `portico-v${version}`,
    name: `Portico CLI ${version}`,
    notes,
    draft: stage === 'draft',
    prerelease: stage === 'prerelease',
    assets: [...programs, { filename: 'checksums.txt', bytes: encode(checksums.join('')) }],
  }
}

const README = `# acme/cli

The command line client of the developer portal. Releases are tagged \`portico-v…\`; the portal serves them at
\`/api/v1/cli/releases\` and \`/api/v1/cli/download/{os}/{arch}\`.
`

const sourceAt = (version: string) => [
  file('README.md', README),
  file('VERSION', `${version}\n`),
  {
    ...file('portico', programFor({ os: 'linux', arch: 'amd64' }, version)),
    executable: true,
  },
]

/** Releases, each with its commit. */
export const history = releases.map((release) => ({
  release: toRelease(release),
  commit: {
    daysAgo: release.daysAgo,
    by: people.platform,
    message: `Release ${release.version}`,
    files: sourceAt(release.version),
  } satisfies SeedCommit,
}))

export const firstCommit: SeedCommit = {
  daysAgo: 120.3,
  by: people.platform,
  message: 'Start the command line client',
  files: sourceAt('0.1.0'),
}
