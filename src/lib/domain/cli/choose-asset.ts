import type { ReleaseAsset } from '../../ports/git-host.ts'
import { err, ok, type Result } from '../../result.ts'
import { type Platform, platforms } from './platform.ts'

export type ChoiceFailure =
  | {
      readonly kind: 'asset_not_found'
      readonly platform: Platform
      readonly version: string
      /** All files of the release. */
      readonly filenames: readonly string[]
    }
  | {
      readonly kind: 'asset_ambiguous'
      readonly platform: Platform
      readonly version: string
      /** The files that match. */
      readonly filenames: readonly string[]
    }

interface ReleaseFiles {
  readonly version: string
  readonly assets: readonly ReleaseAsset[]
}

/**
 * The file of a platform, by the configured name or else by convention. Never a guess: the first name pattern that matches
 * any file decides, and must match exactly one. Files of impossible size do not count.
 */
export function chooseAsset(
  { version, assets }: ReleaseFiles,
  platform: Platform,
  pattern: string,
): Result<ReleaseAsset, ChoiceFailure> {
  const names =
    pattern === '' ? conventionalNames(platform) : [configuredName(pattern, platform, version)]
  const usable = assets.filter(({ sizeBytes }) => Number.isSafeInteger(sizeBytes) && sizeBytes >= 0)
  const filenamesOf = (files: readonly ReleaseAsset[]) => files.map(({ filename }) => filename)
  for (const isMatch of names) {
    const matching = usable.filter(({ filename }) => isMatch(filename))
    const [asset, ...others] = matching
    if (asset === undefined) continue
    if (others.length === 0) return ok(asset)
    return err({ kind: 'asset_ambiguous', platform, version, filenames: filenamesOf(matching) })
  }
  return err({ kind: 'asset_not_found', platform, version, filenames: filenamesOf(usable) })
}

/** Spellings of an operating system and a processor in file names of release tools. */
const SYSTEMS = { linux: 'linux', darwin: 'darwin|macos', windows: 'windows' } as const
const PROCESSORS = { amd64: 'amd64|x86_64|x64', arm64: 'arm64|aarch64' } as const
/** Rust target triples, less the processor. */
const TARGETS = {
  linux: 'unknown-linux-gnu',
  darwin: 'apple-darwin',
  windows: 'pc-windows-(?:msvc|gnu)',
} as const

const ARCHIVE = '\\.(?:tar\\.(?:gz|xz|bz2|zst)|tgz|txz|tbz2|zip|gz|xz|bz2|zst)'

export type NamePattern = (filename: string) => boolean

/**
 * File names of goreleaser, cargo-dist, Bun and the GitHub CLI for a platform, in the order in which they are tried. The
 * platform ends the name, which excludes other builds (`-baseline`, `-musl`, `v3`, `-debug`), packages and side files
 * (`.deb`, `.msi`, `.sha256`, `.sbom.json`):
 *
 * 1. exactly this platform: `tool_1.2.3_linux_amd64.tar.gz`, `tool-x86_64-unknown-linux-gnu.tar.xz`, `tool-linux-x64`;
 * 2. a universal binary for macOS: `tool_1.2.3_darwin_all.tar.gz`;
 * 3. a Rust build on musl, which is static and runs on any Linux; Bun's name for its musl builds does not match.
 */
const conventionalNames = (platform: Platform): readonly NamePattern[] =>
  conventions.get(platform) ?? []

function namesOf({ os, arch }: Platform): readonly NamePattern[] {
  const [system, processor] = [`(?:${SYSTEMS[os]})`, `(?:${PROCESSORS[arch]})`]
  const exactly = `${system}[-_.]${processor}|${processor}-${TARGETS[os]}`
  const universal = `${system}[-_.](?:all|universal)|universal-apple-darwin`
  const musl = `${processor}-unknown-linux-musl`
  const more = { linux: [musl], darwin: [universal], windows: [] }[os]
  return [exactly, ...more].map((ending) => matches(`(?:.*[-_.])?(?:${ending})`, os))
}

/** The configured name, with placeholders: `tool-{os}-{arch}{ext}`. */
function configuredName(pattern: string, { os, arch }: Platform, version: string): NamePattern {
  const values: Readonly<Record<string, string>> = {
    '{os}': `(?:${SYSTEMS[os]})`,
    '{arch}': `(?:${PROCESSORS[arch]})`,
    '{version}': RegExp.escape(version),
    '{ext}': os === 'windows' ? '\\.exe' : '',
  }
  const source = pattern
    .split(/(\{[a-z]+\})/)
    .map((part) => values[part] ?? RegExp.escape(part))
    .join('')
  return test(source)
}

const matches = (name: string, os: Platform['os']): NamePattern =>
  test(`${name}${os === 'windows' ? '(?:\\.exe)?' : ''}(?:${ARCHIVE})?`)

function test(source: string): NamePattern {
  const pattern = new RegExp(`^${source}$`, 'i')
  return (filename) => pattern.test(filename)
}

const conventions = new Map(platforms.map((platform) => [platform, namesOf(platform)]))
