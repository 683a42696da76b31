/** Bun for every target, from npm: pinned with its digest by `bun/bun.lock`, which `bun install` checks. */
import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Target } from '#scripts/build.ts'
import { installLocked } from './install-locked.ts'
import { type LockedPackage, parseLock } from './lock.ts'
import { ReleaseFailure } from './release-failure.ts'

const PINNED = join(import.meta.dir, 'bun')

/** The package of each target, and npm's names of its platform. */
const PACKAGES = {
  'linux-amd64': { name: '@oven/bun-linux-x64', os: 'linux', cpu: 'x64' },
  'linux-arm64': { name: '@oven/bun-linux-aarch64', os: 'linux', cpu: 'arm64' },
  'darwin-amd64': { name: '@oven/bun-darwin-x64', os: 'darwin', cpu: 'x64' },
  'darwin-arm64': { name: '@oven/bun-darwin-aarch64', os: 'darwin', cpu: 'arm64' },
  'windows-amd64': { name: '@oven/bun-windows-x64', os: 'win32', cpu: 'x64' },
} as const satisfies Record<Target, { name: string; os: string; cpu: string }>

/** The pinned package of a target. Its version must be that of the running Bun: bytecode is for one version. */
async function pinnedBun(target: Target): Promise<LockedPackage> {
  const { packages } = parseLock(await Bun.file(join(PINNED, 'bun.lock')).text())
  const pinned = packages.get(PACKAGES[target].name)
  if (pinned?.version !== Bun.version) {
    throw new ReleaseFailure(
      `this is Bun ${Bun.version}, and Bun ${pinned?.version} is pinned for ${target}`,
    )
  }
  return pinned
}

export interface BunOfTarget extends LockedPackage {
  /** Folder of the package. */
  readonly folder: string
  readonly program: string
}

/** Installs Bun for a target in a folder of its own. */
export async function fetchBun(target: Target, folder: string): Promise<BunOfTarget> {
  const pinned = await pinnedBun(target)
  await mkdir(folder, { recursive: true })
  for (const file of ['package.json', 'bun.lock']) {
    await copyFile(join(PINNED, file), join(folder, file))
  }
  const { os, cpu } = PACKAGES[target]
  await installLocked(folder, [`--os=${os}`, `--cpu=${cpu}`, '--libc=*'], `Bun for ${target}`)
  const installed = join(folder, 'node_modules', pinned.name)
  const program = join(installed, os === 'win32' ? 'bin/bun.exe' : 'bin/bun')
  return { ...pinned, folder: installed, program }
}
