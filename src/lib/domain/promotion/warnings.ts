import type { PullRequest } from '../../ports/git-host.ts'
import { type Image, isUntagged } from '../gitops/overlay.ts'
import type { OverlayClaims } from './overlay/claims.ts'
import type { Pipeline } from './pipeline.ts'
import type { PromotionRequest } from './request.ts'

export interface Warning {
  readonly code:
    | 'untagged_image'
    | 'mutable_tag'
    | 'unusual_host'
    | 'claims_unknown'
    | 'overlay_unchanged'
    | 'secrets_at_once'
    | 'secrets_elsewhere'
    | 'nothing_left'
    | 'conflicting'
    | 'foreign_commits'
  readonly message: string
}

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

/** Tags that are moved to a newer image by custom, those named for an environment among them. */
const isMutable = (tag: string | null, { stages }: Pipeline): boolean =>
  tag !== null &&
  (MUTABLE_TAGS.includes(tag) || stages.some(({ folders }) => folders.includes(tag)))

/** Warnings about an allowed request. */
export function warningsOf({
  image,
  host,
  claims,
  cut,
  pipeline,
}: OverlayClaims & {
  readonly image: Image | null
  readonly host: string | undefined
  readonly pipeline: Pipeline
}): readonly Warning[] {
  const warnings: Warning[] = []
  if (isUntagged(image)) {
    warnings.push({ code: 'untagged_image', message: 'no image tag is set for this environment' })
  } else if (image?.digest === null && isMutable(image.tag, pipeline)) {
    warnings.push({ code: 'mutable_tag', message: 'this tag may mean another image tomorrow' })
  }
  const hosts = claims.flatMap(({ kind, name }) => (kind === 'host' ? [name] : []))
  if (
    host !== undefined &&
    hosts.length > 0 &&
    hosts.every((other) => domainOf(other) !== domainOf(host))
  ) {
    warnings.push({
      code: 'unusual_host',
      message: 'no other application has a host in this domain',
    })
  }
  if (cut.length > 0) {
    const named = cut.slice(0, FOLDERS_NAMED_MAX).join(', ')
    const more =
      cut.length > FOLDERS_NAMED_MAX ? `, and ${cut.length - FOLDERS_NAMED_MAX} more` : ''
    warnings.push({
      code: 'claims_unknown',
      message: `too many files to see every host and database that is taken in ${named}${more}`,
    })
  }
  return warnings
}

/** A pull request that cannot be merged without a conflict. */
export const conflictWarnings = ({
  mergeable,
}: Pick<PullRequest, 'mergeable'>): readonly Warning[] =>
  mergeable === 'conflicting' ? CONFLICTING : []

const CONFLICTING: readonly Warning[] = [
  {
    code: 'conflicting',
    message: 'the default branch has other contents; close the pull request, or solve the conflict',
  },
]

/** A release that takes back all that its pull request proposed. Commits of others may propose more. */
export const emptyWarnings = (isEmpty: boolean, others: readonly Warning[]): readonly Warning[] =>
  isEmpty && others.every(({ code }) => code !== 'foreign_commits')
    ? [
        {
          code: 'nothing_left',
          message: 'the pull request changes nothing any more: close it, or ask for other values',
        },
      ]
    : []

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

/** The pull request of a release does not hold its secrets back. */
export const releaseWarnings = (hasSecrets: boolean): readonly Warning[] =>
  hasSecrets
    ? [
        {
          code: 'secrets_at_once',
          message:
            'secrets of an environment that is live take effect as soon as they are written, before any review',
        },
      ]
    : []

/** A request that configures an overlay which stays as it is must not be ignored silently. */
const unchangedWarnings =
  (message: string) =>
  ({ overlayConfig = {} }: PromotionRequest): readonly Warning[] =>
    Object.keys(overlayConfig).length === 0 ? [] : [{ code: 'overlay_unchanged', message }]

export const readyWarnings = unchangedWarnings(
  'the overlay is there already, and nothing of overlayConfig is applied to it',
)

export const deprecationWarnings = unchangedWarnings(
  'a deprecation changes no overlay and writes no secrets; nothing of overlayConfig is applied',
)

const domainOf = (host: string): string => host.split('.').slice(-2).join('.')
