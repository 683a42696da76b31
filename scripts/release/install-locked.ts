import { join } from 'node:path'
import { ReleaseFailure } from './release-failure.ts'

/**
 * Installs what the `bun.lock` in a folder names, and runs nothing of it. The digests are checked, which Bun does only for what
 * it downloads: it has an empty cache here, whatever the environment says. A failure is told as `what` that there is not.
 */
export async function installLocked(
  folder: string,
  options: readonly string[],
  what: string,
): Promise<void> {
  const install = Bun.spawn(
    [process.execPath, 'install', '--frozen-lockfile', '--ignore-scripts', ...options],
    {
      cwd: folder,
      env: {
        ...process.env,
        BUN_INSTALL_CACHE_DIR: join(folder, '.cache'),
        BUN_CONFIG_NO_VERIFY: undefined,
      },
      stdout: 'ignore',
      stderr: 'pipe',
    },
  )
  const [said, exitCode] = await Promise.all([install.stderr.text(), install.exited])
  const [, why] = /^error: (.*)$/m.exec(said) ?? []
  if (exitCode !== 0) throw new ReleaseFailure(`no ${what}: ${why ?? said}`)
}
