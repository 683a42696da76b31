import { integer, repository, text } from '../../lib/settings/parsers.ts'
import { optionalSetting, setting } from '../../lib/settings/setting.ts'

export const cli = {
  CLI_REPOSITORY: optionalSetting({
    description:
      'Repository with the releases of the command line client, as owner/name; by default `cli` of the owner of GITOPS_REPOSITORY',
    example: 'acme/cli',
    parse: repository,
  }),
  CLI_TAG_PREFIX: setting({
    description:
      'Prefix of release tags, before a hyphen and the version; also the name of the installed program',
    fallback: 'portico',
    parse: text(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'letters, digits, dots and hyphens'),
  }),
  CLI_ASSET_PATTERN: setting({
    description:
      'Name of the file for a platform, with `{os}` and `{arch}` in any common spelling, and if need be `{version}` and `{ext}` (`.exe` on Windows); without it the names that goreleaser, cargo-dist, Bun and the GitHub CLI use',
    example: 'portico-{os}-{arch}{ext}',
    fallback: '',
    parse: text(
      /^$|^(?=.*\{os\})(?=.*\{arch\})(?:[\w .+-]|\{(?:os|arch|version|ext)\}){1,200}$/,
      'a file name with {os} and {arch} in it',
    ),
  }),
  CLI_CACHE_MEGABYTES: setting({
    description: 'Disk space in DATA_DIR for copies of release files, in megabytes',
    fallback: '2048',
    parse: integer(1, 1_000_000),
  }),
} as const
