import type { Clock } from '../../../ports/clock.ts'
import { err, ok, type Result } from '../../../result.ts'
import { readAuthorityFile } from '../../../settings/authority-file.ts'
import { type ReadFile, watchFiles } from '../../../settings/watched-files.ts'
import type { IdentityMeans } from '../oidc-kind.ts'
import { type GroupNames, parseGroupNames } from './groups.ts'

/** Current contents of OIDC_CA_FILE and GROUPS_FILE. */
export interface OidcFiles {
  /** PEM of the provider's certificate authorities; `null` for the public ones. */
  readonly authorities: string | null
  readonly groupNames: GroupNames
}

interface OidcFilesOptions extends Pick<IdentityMeans, 'log' | 'clock' | 'signal'> {
  /** Path of OIDC_CA_FILE. */
  readonly ca: string | null
  /** Path of GROUPS_FILE. */
  readonly groups: string | null
  readonly pollEveryMs?: number
}

/** Reads the files and watches them. A mistake in a changed file is logged, and the contents before it stay. */
export function watchOidcFiles({
  ca,
  groups,
  clock,
  log,
  signal,
  ...polling
}: OidcFilesOptions): Result<() => OidcFiles, readonly string[]> {
  const watched = watchFiles({
    ...polling,
    read: (readFile) => readFiles({ ca, groups }, readFile, clock),
    onChanged(changed) {
      files = changed
      log.info('files of the identity provider changed')
    },
    onBroken: (mistakes) =>
      log.error({ mistakes }, 'files of the identity provider are broken, the old ones stay'),
  })
  if (!watched.ok) return watched
  let files = watched.value.value
  signal.addEventListener('abort', () => watched.value.close(), { once: true })
  return ok(() => files)
}

function readFiles(
  { ca, groups }: Pick<OidcFilesOptions, 'ca' | 'groups'>,
  readFile: ReadFile,
  clock: Clock,
): Result<OidcFiles, readonly string[]> {
  const authorities =
    ca === null ? ok(null) : readAuthorityFile('OIDC_CA_FILE', ca, readFile, clock.now())
  const groupNames = groups === null ? ok<GroupNames>(new Map()) : readGroupNames(groups, readFile)
  if (authorities.ok && groupNames.ok) {
    return ok({ authorities: authorities.value, groupNames: groupNames.value })
  }
  return err([authorities, groupNames].flatMap((read) => (read.ok ? [] : read.error)))
}

function readGroupNames(path: string, readFile: ReadFile): Result<GroupNames, readonly string[]> {
  const text = readFile(path)
  if (!text.ok) return err([`GROUPS_FILE: ${path} cannot be read (${text.error})`])
  const names = parseGroupNames(text.value)
  return names.ok
    ? names
    : err(
        names.error.map(({ position, message }) =>
          position === null
            ? `GROUPS_FILE: ${path}: ${message}`
            : `GROUPS_FILE: ${path}:${position.line}:${position.column}: ${message}`,
        ),
      )
}
