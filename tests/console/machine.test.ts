import { describe, expect, test } from 'bun:test'
import {
  type Asset,
  digestLine,
  fileFor,
  forMachineFirst,
  installLine,
  loginLine,
  type Machine,
  machineOf,
} from '#src/console/pages/cli/machine.ts'

const MAC = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Safari/605.1.15'
const LINUX = 'Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0'
const WINDOWS = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/150.0'

describe('the machine of a browser', () => {
  test.each<[string, string, string, Machine['os'], Machine['arch']]>([
    ['', '', LINUX, 'linux', 'amd64'],
    ['', '', LINUX.replace('x86_64', 'aarch64'), 'linux', 'arm64'],
    ['', '', MAC, 'darwin', null],
    ['macOS', 'arm', MAC, 'darwin', 'arm64'],
    ['macOS', 'x86', MAC, 'darwin', 'amd64'],
    ['', '', WINDOWS, 'windows', 'amd64'],
    ['Windows', 'arm', WINDOWS, 'windows', 'arm64'],
    ['', '', 'Mozilla/5.0 (Linux; Android 16) Chrome/150.0 Mobile', null, null],
    ['', '', 'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X)', null, null],
    ['', '', '', null, null],
  ])('%p %p %p is %p %p', (platform, architecture, userAgent, os, arch) => {
    expect(machineOf({ platform, architecture, userAgent })).toStrictEqual({ os, arch })
  })
})

const asset = (os: Asset['os'], arch: Asset['arch']): Asset => ({
  os,
  arch,
  filename: `portico-${os}-${arch}`,
  sizeBytes: 1,
  sha256: null,
  url: `/api/v1/cli/download/${os}/${arch}`,
})
const assets = [
  asset('linux', 'amd64'),
  asset('darwin', 'amd64'),
  asset('darwin', 'arm64'),
  asset('windows', 'amd64'),
]

test('files for this machine come first', () => {
  const names = forMachineFirst(assets, { os: 'darwin', arch: null }).map(
    ({ filename }) => filename,
  )
  expect(names).toStrictEqual([
    'portico-darwin-amd64',
    'portico-darwin-arm64',
    'portico-linux-amd64',
    'portico-windows-amd64',
  ])
})

test('a file is only offered when it is certain', () => {
  expect(fileFor(assets, { os: 'darwin', arch: null })).toBeUndefined()
  expect(fileFor(assets, { os: 'darwin', arch: 'arm64' })).toBe(assets[2])
  expect(fileFor(assets, { os: 'windows', arch: 'arm64' })).toBeUndefined()
  expect(fileFor(assets, { os: null, arch: null })).toBeUndefined()
})

const RELEASE = { tag: 'portico-v1.4.0', version: '1.4.0' }

test.each([
  ['portico-linux-amd64', RELEASE, 'portico-linux-amd64 ~/.local/bin/portico'],
  ['acme-darwin', { tag: 'acme-2.0.0', version: '2.0.0' }, 'acme-darwin ~/.local/bin/acme'],
  ['portico.tar.gz', RELEASE, null],
  ['portico.zip', RELEASE, null],
  ['portico;rm', RELEASE, null],
  ['-rf', RELEASE, null],
])('the file %s of %p is put in its place: %p', (filename, release, end) => {
  const start = 'mkdir -p ~/.local/bin && install -m 755 ~/Downloads/'
  expect(installLine({ filename }, release)).toBe(end === null ? null : start + end)
})

test('the client signs in by itself', () => {
  expect(loginLine(RELEASE, 'https://portal.example.org')).toBe(
    'portico login https://portal.example.org',
  )
})

test('PowerShell compares a digest that is known', () => {
  const [first = asset('linux', 'amd64')] = assets
  expect(digestLine(first)).toBeNull()
  expect(digestLine({ ...first, filename: 'p.exe', sha256: 'ab' })).toBe(
    '(Get-FileHash -Algorithm SHA256 "$HOME\\Downloads\\p.exe").Hash -eq "ab"',
  )
})
