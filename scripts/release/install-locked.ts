import { join } from 'node:path'
import { ReleaseFailure } from './release-failure.ts'

/**
 * Installs the packages of the `bun.lock` in a folder without running their scripts. Bun checks only the digests of
 * downloads, so that it gets an empty cache, whatever the environment says. `title` names the packages in a failure.
 */
export async function installLocked(
  folder: string,
  options: readonly string[],
  title: string,
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
  const [stderr, exitCode] = await Promise.all([install.stderr.text(), install.exited])
  const [, why] = /^error: (.*)$/m.exec(stderr) ?? []
  if (exitCode !== 0) throw new ReleaseFailure(`no ${title}: ${why ?? stderr}`)
}
