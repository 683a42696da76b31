import { describe, expect, test } from 'bun:test'
import { chooseAsset } from '#src/lib/domain/cli/choose-asset.ts'
import { platformName, platforms } from '#src/lib/domain/cli/platform.ts'

const assetsOf = (filenames: readonly string[]) =>
  filenames.map((filename) => ({ id: filename, filename, sizeBytes: 1, sha256: null }))

/** The chosen file of each platform, or the kind of the failure. */
const chosen = (filenames: readonly string[], pattern = '') =>
  Object.fromEntries(
    platforms.map((platform) => {
      const offer = { version: '1.2.3', assets: assetsOf(filenames) }
      const choice = chooseAsset(offer, platform, pattern)
      return [platformName(platform), choice.ok ? choice.value.filename : choice.error.kind]
    }),
  )

const goreleaser = [
  'devx_1.2.3_checksums.txt',
  'devx_1.2.3_darwin_amd64.tar.gz',
  'devx_1.2.3_darwin_arm64.tar.gz',
  'devx_1.2.3_darwin_arm64.tar.gz.sbom.json',
  'devx_1.2.3_linux_386.tar.gz',
  'devx_1.2.3_linux_amd64.apk',
  'devx_1.2.3_linux_amd64.deb',
  'devx_1.2.3_linux_amd64.rpm',
  'devx_1.2.3_linux_amd64.tar.gz',
  'devx_1.2.3_linux_amd64.tar.gz.sbom.json',
  'devx_1.2.3_linux_amd64v3.tar.gz',
  'devx_1.2.3_linux_arm64.tar.gz',
  'devx_1.2.3_linux_armv7.tar.gz',
  'devx_1.2.3_windows_amd64.zip',
  'devx_1.2.3_windows_arm64.zip',
]

describe('the file of a platform, as release tools call it', () => {
  test('goreleaser', () => {
    expect(chosen(goreleaser)).toStrictEqual({
      'linux/amd64': 'devx_1.2.3_linux_amd64.tar.gz',
      'linux/arm64': 'devx_1.2.3_linux_arm64.tar.gz',
      'darwin/amd64': 'devx_1.2.3_darwin_amd64.tar.gz',
      'darwin/arm64': 'devx_1.2.3_darwin_arm64.tar.gz',
      'windows/amd64': 'devx_1.2.3_windows_amd64.zip',
    })
  })

  test('goreleaser as `goreleaser init` sets it up, with one file for a Mac', () => {
    expect(
      chosen([
        'devx_Darwin_all.tar.gz',
        'devx_Linux_arm64.tar.gz',
        'devx_Linux_i386.tar.gz',
        'devx_Linux_x86_64.tar.gz',
        'devx_Windows_arm64.zip',
        'devx_Windows_i386.zip',
        'devx_Windows_x86_64.zip',
        'checksums.txt',
        'checksums.txt.pem',
        'checksums.txt.sig',
      ]),
    ).toStrictEqual({
      'linux/amd64': 'devx_Linux_x86_64.tar.gz',
      'linux/arm64': 'devx_Linux_arm64.tar.gz',
      'darwin/amd64': 'devx_Darwin_all.tar.gz',
      'darwin/arm64': 'devx_Darwin_all.tar.gz',
      'windows/amd64': 'devx_Windows_x86_64.zip',
    })
  })

  test('cargo-dist', () => {
    expect(
      chosen([
        'devx-aarch64-apple-darwin.tar.xz',
        'devx-aarch64-apple-darwin.tar.xz.sha256',
        'devx-aarch64-unknown-linux-musl.tar.xz',
        'devx-installer.ps1',
        'devx-installer.sh',
        'devx-universal-apple-darwin.tar.xz',
        'devx-x86_64-pc-windows-msvc.msi',
        'devx-x86_64-pc-windows-msvc.zip',
        'devx-x86_64-pc-windows-msvc.zip.sha256',
        'devx-x86_64-unknown-linux-gnu.tar.xz',
        'devx-x86_64-unknown-linux-gnu.tar.xz.sha256',
        'devx-x86_64-unknown-linux-musl.tar.xz',
        'dist-manifest.json',
        'sha256.sum',
        'source.tar.gz',
      ]),
    ).toStrictEqual({
      'linux/amd64': 'devx-x86_64-unknown-linux-gnu.tar.xz',
      'linux/arm64': 'devx-aarch64-unknown-linux-musl.tar.xz',
      'darwin/amd64': 'devx-universal-apple-darwin.tar.xz',
      'darwin/arm64': 'devx-aarch64-apple-darwin.tar.xz',
      'windows/amd64': 'devx-x86_64-pc-windows-msvc.zip',
    })
  })

  test('Bun', () => {
    expect(
      chosen([
        'bun-darwin-aarch64-profile.zip',
        'bun-darwin-aarch64.zip',
        'bun-darwin-x64-baseline.zip',
        'bun-darwin-x64.zip',
        'bun-linux-aarch64-musl.zip',
        'bun-linux-aarch64.zip',
        'bun-linux-x64-baseline.zip',
        'bun-linux-x64-musl-baseline.zip',
        'bun-linux-x64-musl.zip',
        'bun-linux-x64.zip',
        'bun-windows-x64-baseline.zip',
        'bun-windows-x64.zip',
        'SHASUMS256.txt',
        'SHASUMS256.txt.asc',
      ]),
    ).toStrictEqual({
      'linux/amd64': 'bun-linux-x64.zip',
      'linux/arm64': 'bun-linux-aarch64.zip',
      'darwin/amd64': 'bun-darwin-x64.zip',
      'darwin/arm64': 'bun-darwin-aarch64.zip',
      'windows/amd64': 'bun-windows-x64.zip',
    })
  })

  test('the GitHub CLI', () => {
    expect(
      chosen([
        'gh_2.60.0_checksums.txt',
        'gh_2.60.0_linux_386.tar.gz',
        'gh_2.60.0_linux_amd64.deb',
        'gh_2.60.0_linux_amd64.rpm',
        'gh_2.60.0_linux_amd64.tar.gz',
        'gh_2.60.0_linux_arm64.tar.gz',
        'gh_2.60.0_macOS_amd64.zip',
        'gh_2.60.0_macOS_arm64.zip',
        'gh_2.60.0_macOS_universal.pkg',
        'gh_2.60.0_windows_386.msi',
        'gh_2.60.0_windows_amd64.msi',
        'gh_2.60.0_windows_amd64.zip',
      ]),
    ).toStrictEqual({
      'linux/amd64': 'gh_2.60.0_linux_amd64.tar.gz',
      'linux/arm64': 'gh_2.60.0_linux_arm64.tar.gz',
      'darwin/amd64': 'gh_2.60.0_macOS_amd64.zip',
      'darwin/arm64': 'gh_2.60.0_macOS_arm64.zip',
      'windows/amd64': 'gh_2.60.0_windows_amd64.zip',
    })
  })

  test('plain programs', () => {
    expect(
      chosen([
        'portico-linux-amd64',
        'portico-linux-arm64',
        'portico-darwin-amd64',
        'portico-darwin-arm64',
        'portico-windows-amd64.exe',
        'portico-linux-amd64.exe',
      ]),
    ).toStrictEqual({
      'linux/amd64': 'portico-linux-amd64',
      'linux/arm64': 'portico-linux-arm64',
      'darwin/amd64': 'portico-darwin-amd64',
      'darwin/arm64': 'portico-darwin-arm64',
      'windows/amd64': 'portico-windows-amd64.exe',
    })
  })
})

describe('never a guess', () => {
  const linux = (filenames: readonly string[], pattern = '') =>
    chooseAsset({ version: '1.2.3', assets: assetsOf(filenames) }, platforms[0], pattern)

  test.each([
    ['two tools in one release', ['devx-linux-amd64', 'agent-linux-amd64']],
    ['a program and its archive', ['devx-linux-amd64', 'devx-linux-amd64.tar.gz']],
    ['two spellings', ['devx_linux_amd64.tar.gz', 'devx_Linux_x86_64.tar.gz']],
    ['two ways of naming', ['devx-linux-x64', 'devx-x86_64-unknown-linux-gnu.tar.xz']],
  ])('%s: two that match are refused, both named', (_, filenames) => {
    expect(linux(filenames)).toStrictEqual({
      ok: false,
      error: { kind: 'asset_ambiguous', platform: platforms[0], version: '1.2.3', filenames },
    })
  })

  test.each([
    ['nothing at all', []],
    ['32 bits', ['devx_linux_386', 'devx-linux-x86', 'devx-i686-unknown-linux-gnu']],
    ['another system', ['devx-darwin-amd64', 'devx-netbsd-amd64', 'devx-linuxkit-amd64']],
    ['another processor', ['devx-linux-arm64', 'devx-linux-armv7', 'devx-linux-s390x']],
    ['no processor', ['devx-linux', 'devx-linux.tar.gz']],
    ['no system', ['devx-amd64', 'devx-x86_64.tar.gz']],
    [
      'a build with a further word',
      ['devx-linux-x64-musl', 'devx_linux_amd64v3', 'x-linux-amd64-debug'],
    ],
    ['side files', ['devx-linux-amd64.sha256', 'devx-linux-amd64.sig', 'devx-linux-amd64.json']],
    ['packages', ['devx_linux_amd64.deb', 'devx_linux_amd64.rpm', 'devx_linux_amd64.AppImage']],
    ['a word that only ends like it', ['devx-unlinux-amd64', 'devx-linux-famd64']],
  ])('%s: none that matches is not replaced by another', (_, filenames) => {
    expect(linux(filenames)).toStrictEqual({
      ok: false,
      error: { kind: 'asset_not_found', platform: platforms[0], version: '1.2.3', filenames },
    })
  })
})

describe('a configured name', () => {
  test('says which of several is meant', () => {
    expect(
      chosen(['devx-linux-amd64', 'agent-linux-amd64'], 'devx-{os}-{arch}{ext}'),
    ).toMatchObject({ 'linux/amd64': 'devx-linux-amd64', 'linux/arm64': 'asset_not_found' })
  })

  test('stands for every spelling of a platform, the version and the ending of Windows', () => {
    expect(
      chosen(
        [
          'x_1.2.3_macOS_aarch64',
          'x_1.2.3_Linux_x86_64',
          'x_1.2.3_windows_x64.exe',
          'x_1.2.4_linux_arm64',
        ],
        'x_{version}_{os}_{arch}{ext}',
      ),
    ).toStrictEqual({
      'linux/amd64': 'x_1.2.3_Linux_x86_64',
      'linux/arm64': 'asset_not_found',
      'darwin/amd64': 'asset_not_found',
      'darwin/arm64': 'x_1.2.3_macOS_aarch64',
      'windows/amd64': 'x_1.2.3_windows_x64.exe',
    })
  })

  test('is a whole name, without meaning beyond its placeholders', () => {
    expect(
      chosen(
        ['devx+linux-amd64-debug', 'dev-linux-amd64', 'ddevx+linux-amd64'],
        'devx+{os}-{arch}',
      ),
    ).toMatchObject({ 'linux/amd64': 'asset_not_found' })
    expect(chosen(['x-1a2b3-linux-amd64'], 'x-{version}-{os}-{arch}')).toMatchObject({
      'linux/amd64': 'asset_not_found',
    })
    expect(chosen(goreleaser, 'other-{os}-{arch}')).toMatchObject({
      'linux/amd64': 'asset_not_found',
    })
  })
})

test.each([Number.NaN, 1.5, -1, 2 ** 53, Infinity])(
  'a file of the impossible size %d is left out',
  (sizeBytes) => {
    const [linux] = platforms
    const [asset] = assetsOf(['devx-linux-amd64'])
    if (asset === undefined) throw new Error('no asset')
    expect(
      chooseAsset({ version: '1.2.3', assets: [{ ...asset, sizeBytes }] }, linux, ''),
    ).toMatchObject({ error: { kind: 'asset_not_found', filenames: [] } })
  },
)
