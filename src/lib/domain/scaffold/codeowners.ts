import type { WrittenFile } from '../../ports/git-host.ts'
import { RepositoryPath, type RepositoryOwner, type TeamName } from '../../names.ts'

const CODEOWNERS = RepositoryPath.of('CODEOWNERS')

/** Places in which GitHub, GitLab, Gitea and Forgejo look for the file. */
const PLACES: ReadonlySet<string> = new Set([
  CODEOWNERS,
  '.github/CODEOWNERS',
  'docs/CODEOWNERS',
  '.gitlab/CODEOWNERS',
  '.gitea/CODEOWNERS',
  '.forgejo/CODEOWNERS',
])

/** The content of the file: the line of the setting, for this team. */
export const codeownersFor = (line: string, org: RepositoryOwner, team: TeamName): string =>
  line === '' ? '' : `${line.replaceAll('{org}', org).replaceAll('{team}', team)}\n`

/** The files with a CODEOWNERS file, sorted by path. Files of the template, and a folder of this name, stay. */
export function withCodeowners(
  files: readonly WrittenFile[],
  content: string,
): readonly WrittenFile[] {
  const isTaken = files.some(({ path }) => PLACES.has(path) || path.startsWith(`${CODEOWNERS}/`))
  if (content === '' || isTaken) return files
  const file = {
    kind: 'write',
    path: CODEOWNERS,
    bytes: new TextEncoder().encode(content),
  } as const
  return [...files, file].toSorted((a, b) => (a.path < b.path ? -1 : 1))
}
