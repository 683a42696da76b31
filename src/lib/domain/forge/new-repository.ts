import { type RepositoryId, RepositoryPath, type TeamName } from '../../names.ts'
import type { DatabaseFailure } from '../../ports/database/failure.ts'
import type { Forge } from '../../ports/forge.ts'
import type { GitFailure } from '../../ports/git-host.ts'
import { err, ok, type Result } from '../../result.ts'
import { authorise, type Forbidden } from '../access/authorise.ts'
import type { Principal } from '../access/principal.ts'
import type { Audit, RequestFacts } from '../audit/audit.ts'
import { onRecord } from '../audit/decision.ts'
import { authorOf } from '../gitops/requesters.ts'

/** A person's wish for a repository. */
export interface NewRepositoryRequest extends RequestFacts {
  readonly repository: RepositoryId
  readonly principal: Principal
  readonly team: TeamName
  readonly description: string
}

export type NewRepositoryFailure =
  Forbidden | DatabaseFailure | GitFailure | { readonly kind: 'repository_exists' }

export type MakeRepository = ReturnType<typeof createMakeRepository>

const README = RepositoryPath.of('README.md')

/** Makes a repository with a README, for the platform team. */
export const createMakeRepository =
  ({
    forge,
    audit,
    platformGroup,
    changed,
  }: {
    readonly forge: Pick<Forge, 'createRepository'>
    readonly audit: Pick<Audit, 'decide'>
    readonly platformGroup: string
    /** Called after a change of a repository. Its readers see the change afterwards. */
    readonly changed: (repository: RepositoryId) => Promise<void>
  }) =>
  async ({
    repository,
    principal,
    team,
    description,
    requestId,
    address,
  }: NewRepositoryRequest): Promise<Result<void, NewRepositoryFailure>> => {
    const target = `repository/${repository.owner}/${repository.name}`
    const entry = { action: 'repository.create', target, team, requestId, address }
    const decision = audit.decide(principal)
    const allowed = authorise(principal, [platformGroup])
    if (!allowed.ok) {
      await decision.end({ ...entry, result: 'denied', code: allowed.error.kind })
      return allowed
    }
    const granted = { ...entry, groups: allowed.value }
    const text = `# ${repository.name}\n\n${description}\n`
    const made = await onRecord(decision, granted, () =>
      forge.createRepository(repository, {
        description,
        team,
        marker: Bun.randomUUIDv7(),
        files: [{ kind: 'write', path: README, bytes: new TextEncoder().encode(text) }],
        message: 'First commit',
        author: authorOf(principal),
      }),
    )
    if (!made.ok) {
      const isTaken = made.error.kind === 'git_repository_exists'
      return isTaken ? err({ kind: 'repository_exists' }) : made
    }
    await changed(repository)
    return ok(undefined)
  }
