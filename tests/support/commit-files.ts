import { BranchName, type RepositoryId, RepositoryPath } from '#src/lib/names.ts'
import type { GitHost } from '#src/lib/ports/git-host.ts'
import { valueOf } from './value-of.ts'

const ANN = { name: 'Ann', email: 'ann@acme.example' }

/** Path → content; `null` deletes the file. */
export type ChangedFiles = Readonly<Record<string, string | Uint8Array | null>>

interface Commit {
  /** By default the default branch, where another branch begins that there is not yet. */
  readonly branch?: string
  readonly message?: string
  readonly author?: typeof ANN
}

/** One commit of these files. */
export async function commitFiles(
  host: Pick<GitHost, 'head' | 'commit'>,
  repository: RepositoryId,
  files: ChangedFiles,
  { branch, message = 'Change', author = ANN }: Commit = {},
) {
  const main = valueOf(await host.head(repository))
  const name = branch === undefined ? main.branch : BranchName.of(branch)
  const tip = await host.head(repository, name)
  return host.commit(repository, {
    branch: name,
    from: tip.ok
      ? { kind: 'advance', expected: tip.value.commit }
      : { kind: 'create', parent: main.commit },
    changes: Object.entries(files).map(([file, content]) => {
      const path = RepositoryPath.of(file)
      if (content === null) return { kind: 'delete', path }
      const bytes = typeof content === 'string' ? Buffer.from(content) : content
      return { kind: 'write', path, bytes }
    }),
    message,
    author,
  })
}

interface Pull {
  readonly branch: string
  readonly title?: string
  readonly body?: string
  readonly author?: typeof ANN
}

/** Opens a pull request of a branch into the default branch. */
export async function openPull(
  host: Pick<GitHost, 'openPullRequest'>,
  repository: RepositoryId,
  { branch, title = branch, body = '', author = ANN }: Pull,
): Promise<number> {
  const [head, base] = [BranchName.of(branch), BranchName.of('main')]
  const opened = await host.openPullRequest(repository, { head, base, title, body, author })
  return valueOf(opened).pullRequest.number
}
