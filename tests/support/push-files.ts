import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gitEnvironment } from './git-environment.ts'

interface Commit {
  /** Path → content, or the change of what is there. */
  readonly files: Readonly<Record<string, string | ((before: string) => string)>>
  readonly message?: string
  readonly author?: string
}

/** Pushes a commit to the gitops repository of a demo, as the platform team does. */
export async function pushFiles(
  url: string,
  { files, message = 'Change', author = 'Priya Raman' }: Commit,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-push-'))
  const identity = ['-c', `user.name=${author}`, '-c', 'user.email=author@acme.example']
  const git = (...command: readonly string[]) =>
    Bun.$`git ${command}`.cwd(folder).env(gitEnvironment(folder)).quiet()
  try {
    const address = `${url.replace('://', '://platform:demo@')}/git/acme/gitops.git`
    await git('clone', '-q', '--depth', '1', address, '.')
    for (const [path, content] of Object.entries(files)) {
      const file = Bun.file(join(folder, path))
      await file.write(typeof content === 'string' ? content : content(await file.text()))
    }
    await git('add', '-A')
    await git(...identity, 'commit', '-qm', message)
    await git('push', '-q')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
