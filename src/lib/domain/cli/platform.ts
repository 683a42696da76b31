/** The platforms of the command line client. */
export const platforms = [
  { os: 'linux', arch: 'amd64' },
  { os: 'linux', arch: 'arm64' },
  { os: 'darwin', arch: 'amd64' },
  { os: 'darwin', arch: 'arm64' },
  { os: 'windows', arch: 'amd64' },
] as const

export type Platform = (typeof platforms)[number]

export const platformName = ({ os, arch }: Platform): string => `${os}/${arch}`

export const findPlatform = (os: string, arch: string): Platform | undefined =>
  platforms.find((platform) => platform.os === os && platform.arch === arch)
