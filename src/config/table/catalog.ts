import { gitHosts } from '../../lib/adapters/hosts/index.ts'
import { defaultLimits } from '../../lib/domain/catalog/admission.ts'
import { RepositoryPath } from '../../lib/names.ts'
import { err, type Result } from '../../lib/result.ts'
import { entryOf, integer, list, parsedBy, repository, text } from '../../lib/settings/parsers.ts'
import { setting } from '../../lib/settings/setting.ts'

const token = text(/^[\x21-\x7e]{16,256}$/, 'at least 16 printable characters without spaces')
/** One in fifty million tokens of 16 random hexadecimal digits has fewer. */
const TOKEN_MIN_DIFFERENT = 6

function randomToken(given: string): Result<string, string> {
  return new Set(given).size < TOKEN_MIN_DIFFERENT && token(given).ok
    ? err('must be random, and repeats a few characters')
    : token(given)
}

export const catalog = {
  GIT_HOST: setting({
    description:
      'Kind of git host: `github`, `gitlab`, `gitea` (Forgejo too), or `local`, the embedded one',
    example: 'github',
    fallback: 'local',
    production: true,
    parse: entryOf(gitHosts),
  }),
  GITOPS_REPOSITORY: setting({
    description:
      'Repository with the catalog, as owner/name; at GitLab the owner is the path of a group',
    example: 'acme/gitops',
    production: true,
    parse: repository,
  }),
  CATALOG_DIRECTORY: setting({
    description: 'Folder of the gitops repository that holds the catalog',
    fallback: 'catalog',
    parse: parsedBy((given) => RepositoryPath.parse(given), 'a relative path'),
  }),
  CATALOG_FILES_MAX: setting({
    description:
      'Upper bound of the files of the catalog, and of those below `apps/`. Beyond it the largest folders lose files, which `/api/v1/catalog/problems` names',
    example: '200000',
    fallback: String(defaultLimits.filesMax),
    parse: integer(1_000, 10_000_000),
  }),
  CATALOG_MEMORY_MEGABYTES: setting({
    description:
      'Upper bound in megabytes of the memory for the entities of the catalog, and of the files below `apps/` that are read. Beyond it the largest folders lose files, which are named too',
    example: '512',
    fallback: String(defaultLimits.memoryMaxBytes / 1e6),
    parse: integer(16, 100_000),
  }),
  CATALOG_TTL_SECONDS: setting({
    description: 'The catalog is served for this time before the git host is asked again',
    fallback: '300',
    parse: integer(1, 86_400),
  }),
  CATALOG_MAX_STALE_SECONDS: setting({
    description: 'An expired catalog is served for this time while the git host cannot be reached',
    fallback: '3600',
    parse: integer(0, 604_800),
  }),
  WEBHOOK_TOKEN: setting({
    description: 'Token of the catalog refresh webhook; two, comma-separated, while it is rotated',
    example: '(openssl rand -hex 24)',
    fallback: '',
    secret: true,
    parse: list(randomToken),
  }),
} as const
