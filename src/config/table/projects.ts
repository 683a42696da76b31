import { secretStores } from '../../lib/adapters/secret-store/index.ts'
import { parseEnvironments } from '../../lib/domain/promotion/pipeline.ts'
import { RESERVED_NAMESPACES } from '../../lib/domain/scaffold/reserved-namespaces.ts'
import { entryOf, list, repository, text } from '../../lib/settings/parsers.ts'
import { optionalSetting, setting } from '../../lib/settings/setting.ts'

export const projects = {
  ENVIRONMENTS: setting({
    description:
      'Environments in the order of promotion, as name:lifecycle:role; the role, `member` or `manager` of the owning team, may promote to it. Lifecycles, folders, namespaces, secret paths and the OpenAPI document follow from it',
    example:
      'dev:development:member,qa:testing:member,staging:staging:manager,production:production:manager',
    fallback: 'dev:development:member,staging:staging:manager,production:production:manager',
    parse: parseEnvironments,
  }),
  TEMPLATES_REPOSITORY: optionalSetting({
    description:
      'Repository with the project templates, as owner/name; by default `templates` of the owner of GITOPS_REPOSITORY',
    example: 'acme/templates',
    parse: repository,
  }),
  REPOSITORY_CODEOWNERS: setting({
    description:
      'Line of the `CODEOWNERS` file that a new repository gets unless its template has one; `{org}` and `{team}` are replaced. On Gitea and Forgejo patterns are regular expressions (`.* @{org}/{team}`). Without it there is no such file',
    example: '* @{org}/{team}',
    fallback: '',
    parse: text(
      /^$|^(?=[^ #])(?:[\x20-\x7a|~]|\{(?:org|team)\}){1,200}$/,
      'one line of a CODEOWNERS file, in braces {org} and {team} only',
    ),
  }),
  IMAGE_REGISTRY: setting({
    description:
      'Registry and path of container images, without the name of the application; by default `ghcr.io/` and the owner of GITOPS_REPOSITORY',
    example: 'registry.example.org/acme',
    fallback: '',
    parse: text(
      /^$|^[a-z0-9][a-z0-9.:/_-]{0,200}[a-z0-9]$/,
      'a registry, with a path if it has one',
    ),
  }),
  RESERVED_NAMESPACES: setting({
    description: `Namespaces that no project may have, comma-separated, with \`*\` for any characters at one end; in addition to \`${RESERVED_NAMESPACES.join(', ')}\``,
    example: 'prod-shared,infra-*',
    fallback: '',
    parse: list(
      text(
        /^(?=[^*]*\*?$|\*[^*]*$)(?=.*[a-z0-9])[a-z0-9*-]{1,63}$/,
        'names of namespaces, with * for any characters at one end',
      ),
    ),
  }),
  TENANT_APP_API_VERSION: setting({
    description: 'API group and version of the XTenantApp resources that describe applications',
    fallback: 'platform.example.org/v1alpha1',
    parse: text(/^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?\/v[0-9a-z]{1,20}$/, 'group/version'),
  }),
  SECRET_STORE: setting({
    description:
      'Kind of secret store for the secrets of applications: `vault` (OpenBao too), or `file`, sealed rows of the database',
    example: 'vault',
    fallback: 'file',
    production: true,
    parse: entryOf(secretStores),
  }),
} as const
