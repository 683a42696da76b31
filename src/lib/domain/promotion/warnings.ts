import { type Image, isUntagged } from '../gitops/overlay.ts'
import type { OverlayClaims } from './overview/apps-reader.ts'
import type { Pipeline } from './pipeline.ts'

const MESSAGES = {
  untagged_image: 'no image tag is set for this environment',
  mutable_tag: 'this tag may mean another image tomorrow',
  unusual_host: 'no other application has a host in this domain',
  conflicting:
    'the default branch has other contents; close the pull request, or solve the conflict',
  nothing_left: 'the pull request changes nothing any more: close it, or ask for other values',
  /** The pull request of a release does not hold its secrets back. */
  secrets_at_once:
    'secrets of an environment that is live take effect as soon as they are written, before any review',
} as const

export interface Warning {
  readonly code:
    | keyof typeof MESSAGES
    | 'claims_unknown'
    | 'overlay_unchanged'
    | 'secrets_elsewhere'
    | 'foreign_commits'
  readonly message: string
}

/** The warning, if it is due. */
export const warningIf = (isDue: boolean, code: keyof typeof MESSAGES): readonly Warning[] =>
  isDue ? [{ code, message: MESSAGES[code] }] : []

const MUTABLE_TAGS: readonly string[] = [
  'latest',
  'main',
  'master',
  'develop',
  'edge',
  'nightly',
  'stable',
]

/** Folders that one warning names. */
const FOLDERS_NAMED_MAX = 3

/** Warns of an image without a digest whose tag is missing, or is moved to newer images by custom, as one that is named for an environment. */
export function imageWarnings(image: Image | null, { stages }: Pipeline): readonly Warning[] {
  if (isUntagged(image)) return warningIf(true, 'untagged_image')
  const tag = image?.digest === null ? image.tag : null
  const isMutable = stages.some(({ folders }) => tag !== null && folders.includes(tag))
  return warningIf(isMutable || MUTABLE_TAGS.includes(tag ?? ''), 'mutable_tag')
}

/** Warns of a host in a domain in which no other overlay has one, and of folders whose hosts and databases are not all known. */
export function claimWarnings(
  host: string | undefined,
  { claims, cut }: OverlayClaims,
): readonly Warning[] {
  const domains = claims.flatMap(({ kind, name }) => (kind === 'host' ? [domainOf(name)] : []))
  const isUnusual = host !== undefined && domains.length > 0 && !domains.includes(domainOf(host))
  const unusual = warningIf(isUnusual, 'unusual_host')
  if (cut.length === 0) return unusual
  const named = cut.slice(0, FOLDERS_NAMED_MAX).join(', ')
  const more = cut.length > FOLDERS_NAMED_MAX ? `, and ${cut.length - FOLDERS_NAMED_MAX} more` : ''
  const message = `too many files to see every host and database that is taken in ${named}${more}`
  return [...unusual, { code: 'claims_unknown', message }]
}

const domainOf = (host: string): string => host.split('.').slice(-2).join('.')

/** `path`: where the overlay reads its secrets, if it says so. */
export const secretPathWarnings = (
  written: string | undefined,
  path: string | undefined,
): readonly Warning[] =>
  written === undefined || path === undefined || path === written
    ? []
    : [
        {
          code: 'secrets_elsewhere',
          message: `the overlay reads its secrets at another path than ${written}: set spec.parameters.externalSecrets.path in its patch`,
        },
      ]

/** Commits of others on our branch, which a merge would bring in. */
export function foreignWarnings(commits: number): readonly Warning[] {
  if (commits === 0) return []
  const who = commits === 1 ? '1 commit of the branch is' : `${commits} commits of the branch are`
  const message = `${who} not Portico’s: look at the pull request before it is merged`
  return [{ code: 'foreign_commits', message }]
}

/** A request that configures an overlay which stays as it is must not be ignored silently. */
export const unchangedWarnings = (
  overlayConfig: object = {},
  message: string,
): readonly Warning[] =>
  Object.keys(overlayConfig).length === 0 ? [] : [{ code: 'overlay_unchanged', message }]
