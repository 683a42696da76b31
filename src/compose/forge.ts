import type { App } from '../app.ts'
import { routes } from '../console/git/routes.gen.ts'
import { createDeployTokens, type DeployTokens } from '../lib/domain/forge/deploy-tokens.ts'
import { createGitAccess } from '../lib/domain/forge/git-access.ts'
import { createMakeRepository } from '../lib/domain/forge/new-repository.ts'
import { createForgePullRequests } from '../lib/domain/forge/pull-requests.ts'
import { findGrant } from '../lib/domain/access/grants/find-grant.ts'
import type { SessionClaims } from '../lib/domain/access/sessions/session-credentials.ts'
import type { Sessions } from '../lib/domain/access/sessions/sessions.ts'
import type { Audit } from '../lib/domain/audit/audit.ts'
import type { FailedAttempts } from '../lib/domain/limits/failed-attempts.ts'
import type { Usage } from '../lib/domain/limits/usage.ts'
import type { ReplicatedInvalidation } from '../lib/domain/replicated-invalidation.ts'
import type { RepositoryId } from '../lib/names.ts'
import type { PortalOptions } from './options.ts'

/** The pages of the embedded git host, and git over HTTP. */
export function makeForge(
  { forge, database, clock, publicUrl, config }: PortalOptions,
  {
    audit,
    failures,
    files,
    sessions,
    ...parts
  }: {
    readonly audit: Audit
    readonly claims: SessionClaims
    readonly usage: Usage
    readonly failures: FailedAttempts
    readonly sessions: Sessions
    /** Cache of the gitops repository. */
    readonly files: Pick<ReplicatedInvalidation, 'invalidate'>
  },
): { readonly deployTokens: DeployTokens; readonly routes: App['elysia'] } | null {
  if (forge === undefined) return null
  const { host, personOf, changed: alsoChanged } = forge
  const { PLATFORM_GROUP: platformGroup, GITOPS_REPOSITORY: gitops } = config
  const rules = {
    ...host.policy,
    platformGroup,
    gitops,
    catalogDirectory: config.CATALOG_DIRECTORY,
  }
  const deployTokens = createDeployTokens({
    store: database.deployTokens,
    forge: host,
    audit,
    clock,
    platformGroup,
  })

  async function changed({ owner, name }: RepositoryId): Promise<void> {
    await alsoChanged?.()
    if (owner === gitops.owner && name === gitops.name) await files.invalidate()
  }

  const pullRequests = createForgePullRequests({
    forge: host,
    rules,
    audit,
    requesters: database.requesters,
    changed,
  })
  return {
    deployTokens,
    routes: routes({
      ...parts,
      forge: host,
      pullRequests,
      deployTokens,
      gitAccess: createGitAccess({
        deployTokens,
        rules,
        failures,
        personOf: personOf ?? (() => undefined),
        findGrant: (token, request) => findGrant(sessions, parts.claims, token, request),
        resource: publicUrl.origin,
        audit,
        usage: parts.usage,
      }),
      makeRepository: createMakeRepository({ forge: host, audit, platformGroup, changed }),
      changed,
      gitops,
      platformGroup,
      hasPasswords: personOf !== undefined,
      origin: publicUrl.origin,
    }),
  }
}
