/**
 * The one mint of every name that reaches a path, a URL, an argument list or a query.
 * Text from outside becomes a named type here or is refused; nothing else casts to these types.
 */

import type { TextRule } from './schema/rules.ts'

declare const brand: unique symbol
export type Named<Name extends string> = string & { readonly [brand]: Name }

export interface Name<Kind extends string> {
  /** The pattern in words for people, see `TEXT_RULES`. */
  readonly rule: TextRule
  /** Source of the pattern, anchored, without flags: usable in a JSON schema. */
  readonly pattern: string
  readonly minLength: number
  readonly maxLength: number
  parse(text: unknown): Named<Kind> | undefined
  /** For text made of parsed names. Throws when it is no name, which is a bug. */
  of(text: string): Named<Kind>
}

const name = <Kind extends string>(
  rule: TextRule,
  pattern: RegExp,
  maxLength: number,
  minLength = 1,
): Name<Kind> => {
  const is = (text: unknown): text is Named<Kind> =>
    typeof text === 'string' &&
    text.length >= minLength &&
    text.length <= maxLength &&
    pattern.test(text)
  return {
    rule,
    pattern: pattern.source,
    minLength,
    maxLength,
    parse: (text) => (is(text) ? text : undefined),
    of(text) {
      if (is(text)) return text
      throw new Error(`not a name: ${text}`)
    },
  }
}

/** A DNS-1123 label (RFC 1123 §2.1, Kubernetes' "names"). */
export type Label = Named<'Label'>
const DNS_LABEL = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/
export const Label = name<'Label'>('name', DNS_LABEL, 63)

/** A DNS-1123 subdomain, Kubernetes' rule for names of pods and deployments. */
export type Subdomain = Named<'Subdomain'>
export const Subdomain = name<'Subdomain'>(
  'object_name',
  /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/,
  253,
)

/** A label in any case, for lookups that ignore case. */
export type AnyCaseLabel = Named<'AnyCaseLabel'>
export const AnyCaseLabel = name<'AnyCaseLabel'>(
  'entity_name',
  /^[A-Za-z0-9](?:[-A-Za-z0-9]*[A-Za-z0-9])?$/,
  63,
)

const PROJECT_NAME = /^[a-z]([-a-z0-9]*[a-z0-9])?$/
const PROJECT_NAME_MAX = 40
const PROJECT_NAME_MIN = 2

/** Name of an application in its repository, Kubernetes objects and paths: a short DNS-1035 label. */
export type AppName = Named<'AppName'>
export const AppName = name<'AppName'>('name', PROJECT_NAME, PROJECT_NAME_MAX, PROJECT_NAME_MIN)

/** Name of a team in paths and Kubernetes objects. */
export type TeamName = Named<'TeamName'>
export const TeamName = name<'TeamName'>('name', PROJECT_NAME, PROJECT_NAME_MAX, PROJECT_NAME_MIN)

/** A UUID, version 7, lower case (RFC 9562 §5.7). */
export type RunId = Named<'RunId'>
export const RunId = name<'RunId'>(
  'run_id',
  /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  36,
)

/**
 * An environment of `ENVIRONMENTS`. So short that the database name `{app}-{environment}-db`, a DNS-1123 label too, has room
 * for the longest application name.
 */
export type EnvironmentName = Named<'EnvironmentName'>
export const EnvironmentName = name<'EnvironmentName'>(
  'name',
  DNS_LABEL,
  63 - PROJECT_NAME_MAX - '--db'.length,
)

/** A lifecycle of `ENVIRONMENTS`. */
export type LifecycleName = Named<'LifecycleName'>
export const LifecycleName = name<'LifecycleName'>('name', DNS_LABEL, 63)

/** Path of an application's secrets in an environment: always four segments, whatever the names. */
export type SecretPath = Named<'SecretPath'>
export const SecretPath = name<'SecretPath'>(
  'secret_path',
  /^[a-z][-a-z0-9]{1,39}\/[a-z][-a-z0-9]{1,39}\/[a-z0-9][-a-z0-9]{0,18}\/env$/,
  105,
)

export const secretPath = (
  team: TeamName,
  app: AppName,
  environment: EnvironmentName,
): SecretPath => SecretPath.of(`${team}/${app}/${environment}/env`)

export type EntityKind = Named<'EntityKind'>
export const EntityKind = name<'EntityKind'>('entity_kind', /^[A-Za-z][A-Za-z0-9]{0,62}$/, 63)

/** A kind and a name, in any case; a name alone is that of a component. */
export type EntityRef = Named<'EntityRef'>
export const EntityRef = name<'EntityRef'>(
  'entity_ref',
  /^(?:[A-Za-z][A-Za-z0-9]{0,62}\/)?[A-Za-z0-9](?:[-A-Za-z0-9]{0,61}[A-Za-z0-9])?$/,
  127,
)

/** An action of the audit trail, or a subject of actions. */
export type ActionName = Named<'ActionName'>
export const ActionName = name<'ActionName'>('action', /^[a-z][a-z_]*(?:\.[a-z][a-z_]*)?$/, 64)

/** A person at the identity provider (OpenID Connect Core 1.0 §2). PostgreSQL takes no text with a NUL. */
export type PersonSubject = Named<'PersonSubject'>
export const PersonSubject = name<'PersonSubject'>(
  'one_line',
  new RegExp(String.raw`^[^\x00-\x1f\x7f]+$`),
  255,
)

/** One part of a repository's full name: what GitHub and Gitea accept, less `.` and `..`. */
export type RepositoryPart = Named<'RepositoryPart'>
export const RepositoryPart = name<'RepositoryPart'>(
  'repository_name',
  /^(?!\.{1,2}$)(?!.*\.(?:git|wiki|lock)$)[A-Za-z0-9_][A-Za-z0-9._-]*$/,
  100,
)
/** The same, as a segment of a path. */
const PART_IN_PATH = String.raw`(?![^\/]*\.(?:git|wiki|lock)(?:\/|$))[A-Za-z0-9_][A-Za-z0-9._-]{0,99}`

/** Owner of a repository. At GitLab it is the path of a group, which may be in other groups: `acme/platform`. */
export type RepositoryOwner = Named<'RepositoryOwner'> | RepositoryPart
export const RepositoryOwner = name<'RepositoryOwner'>(
  'repository_name',
  new RegExp(String.raw`^${PART_IN_PATH}(?:\/${PART_IN_PATH}){0,19}$`),
  255,
)

/** A full object id of git, SHA-1. */
export type ObjectId = Named<'ObjectId'>
export const ObjectId = name<'ObjectId'>('commit', /^[0-9a-f]{40}$/, 40)

/** A SHA-256 digest, in hex; also the name of a cached file with these contents. */
export type Sha256 = Named<'Sha256'>
export const Sha256 = name<'Sha256'>('sha256', /^[0-9a-f]{64}$/, 64)

/** A branch name, stricter than `git check-ref-format --branch`: ASCII, at most 200 characters. */
export type BranchName = Named<'BranchName'>
export const BranchName = name<'BranchName'>(
  'branch_name',
  /^(?!-)(?!@$)(?!HEAD$)(?!refs\/)(?!.*(?:\.\.|\/\/|@\{|\.lock(?:\/|$)|\/\.|\/$|\.$))(?![./])[A-Za-z0-9._/@-]+$/,
  200,
)

/**
 * A path of a file or folder inside a repository. Printable ASCII without `..`, `.git`, empty segments and the
 * characters that Windows or a URL would read otherwise: adapters put it in URLs, where `..` climbs into another
 * repository, and `git fast-import` itself accepts `../x` and `.git/config`.
 */
export type RepositoryPath = Named<'RepositoryPath'>
export const RepositoryPath = name<'RepositoryPath'>(
  'path',
  /^(?!.*["*:<>?\\|])(?!.*(?:^|\/)(?:\.{1,2}|\.[Gg][Ii][Tt]|[Gg][Ii][Tt]~[0-9]+)(?:\/|$))(?!.*[. ](?:\/|$))[ -.0-~]{1,200}(?:\/[ -.0-~]{1,200})*$/,
  1024,
)

/** A repository by its full name, `owner/name`. */
export interface RepositoryId {
  readonly owner: RepositoryOwner
  readonly name: RepositoryPart
}

export function parseRepositoryId(text: string): RepositoryId | undefined {
  const at = text.lastIndexOf('/')
  const owner = RepositoryOwner.parse(text.slice(0, Math.max(at, 0)))
  const repository = RepositoryPart.parse(text.slice(at + 1))
  return owner === undefined || repository === undefined ? undefined : { owner, name: repository }
}
