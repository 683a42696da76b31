import { type RepositoryId, RepositoryPath, TeamName } from '#src/lib/names.ts'
import type { GitHost } from '#src/lib/ports/git-host.ts'

/** A repository whose first commit has these files. */
export async function createRepository(
  host: Pick<GitHost, 'createRepository'>,
  id: RepositoryId,
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<void> {
  const made = await host.createRepository(id, {
    description: '',
    team: TeamName.of('platform'),
    marker: 'test',
    message: 'First',
    author: { name: 'A', email: 'a@a.example' },
    files: Object.entries(files).map(([name, content]) => ({
      kind: 'write',
      path: RepositoryPath.of(name),
      bytes: typeof content === 'string' ? new TextEncoder().encode(content) : content,
    })),
  })
  if (!made.ok) throw new Error(made.error.kind)
}

/** The branches of a bare repository, and what its pull requests propose. */
export async function refsOf(bare: string) {
  const refs = await Bun.$`git --git-dir=${bare} for-each-ref --format=${'%(refname)'}`
    .quiet()
    .text()
  const below = (prefix: string) => refs.split('\n').filter((ref) => ref.startsWith(prefix))
  return { branches: below('refs/heads/'), pulls: below('refs/pull/') }
}
