import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { installLocked } from './install-locked.ts'

/** Sources of an executable besides packages. */
const SOURCE = ['src', 'package.json', 'bun.lock', 'bunfig.toml', 'tsconfig.json']

/** Copies our source into a folder and installs the locked packages: those of the checkout may have been changed. */
export async function copySource(folder: string): Promise<void> {
  for (const name of SOURCE) await cp(name, join(folder, name), { recursive: true })
  await installLocked(folder, ['--production'], 'packages')
}
