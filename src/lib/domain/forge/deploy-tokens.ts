import { createHash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Label, RepositoryId } from '../../names.ts'
import type { Clock } from '../../ports/clock.ts'
import type { DeployTokenRow, DeployTokenStore } from '../../ports/database/deploy-tokens.ts'
import type { DatabaseFailure } from '../../ports/database/failure.ts'
import type { Forge } from '../../ports/forge.ts'
import type { GitFailure } from '../../ports/git-host.ts'
import { err, ok, type Result } from '../../result.ts'
import { authorise, type Forbidden } from '../access/authorise.ts'
import type { Principal } from '../access/principal.ts'
import type { Audit, RequestFacts } from '../audit/audit.ts'
import { onRecord } from '../audit/decision.ts'

export type DeployTokenFailure =
  | Forbidden
  | DatabaseFailure
  | GitFailure
  | { readonly kind: 'repository_not_found' }
  | { readonly kind: 'deploy_token_not_found' }
  | { readonly kind: 'too_many_deploy_tokens'; readonly max: number }

/** A person's request about the tokens of a repository. */
export interface DeployTokenRequest extends RequestFacts {
  readonly repository: RepositoryId
  readonly principal: Principal
}

export interface DeployTokensOptions {
  readonly store: DeployTokenStore
  readonly forge: { readonly browse: Pick<Forge['browse'], 'about'> }
  readonly audit: Pick<Audit, 'decide'>
  readonly clock: Clock
  readonly platformGroup: string
}

export type DeployTokens = ReturnType<typeof createDeployTokens>

const PER_REPOSITORY_MAX = 50
/** A last use is written once in this time. */
const TOUCH_EVERY_MS = 60_000

/** Tokens by which Argo CD and CI read and write one repository, made and ended by the platform team. */
export function createDeployTokens({
  store,
  forge,
  audit,
  clock,
  platformGroup,
}: DeployTokensOptions) {
  const groups = [platformGroup]

  async function teamOf(
    repository: RepositoryId,
  ): Promise<Result<string | null, DeployTokenFailure>> {
    const about = await forge.browse.about(repository)
    if (about.ok) return ok(about.value.team)
    return err(
      about.error.kind === 'git_not_found' ? { kind: 'repository_not_found' } : about.error,
    )
  }

  /** One audit row about the tokens of a repository, with what it does. */
  async function act<Value>(
    name: 'create' | 'end',
    { repository, principal, requestId, address }: DeployTokenRequest,
    details: Readonly<Record<string, string>>,
    effect: () => Promise<Result<Value, DeployTokenFailure>>,
  ): Promise<Result<Value, DeployTokenFailure>> {
    const decision = audit.decide(principal)
    const target = `repository/${keyOf(repository)}`
    const entry = { action: `deploy_token.${name}`, target, requestId, address, details }
    const allowed = authorise(principal, groups)
    if (!allowed.ok) {
      await decision.end({ ...entry, result: 'denied', code: allowed.error.kind })
      return allowed
    }
    const team = await teamOf(repository)
    if (!team.ok) return team
    const granted = { ...entry, team: team.value, groups: allowed.value }
    return onRecord(decision, granted, effect)
  }

  return {
    async list({
      repository,
      principal,
    }: Pick<DeployTokenRequest, 'repository' | 'principal'>): Promise<
      Result<readonly DeployTokenRow[], DeployTokenFailure>
    > {
      const allowed = authorise(principal, groups)
      if (!allowed.ok) return allowed
      const team = await teamOf(repository)
      if (!team.ok) return team
      const rows = await store.list(keyOf(repository))
      return rows
    },

    /** `token` is shown this once. */
    create: (request: DeployTokenRequest, name: Label, access: DeployTokenRow['access']) =>
      act<{ readonly token: string; readonly created: DeployTokenRow }>(
        'create',
        request,
        { name, access },
        async () => {
          const repository = keyOf(request.repository)
          const present = await store.list(repository)
          if (!present.ok) return present
          if (present.value.length >= PER_REPOSITORY_MAX) {
            return err({ kind: 'too_many_deploy_tokens', max: PER_REPOSITORY_MAX })
          }
          const token = newToken()
          const { subject, name: personName } = request.principal
          const row = {
            id: Bun.randomUUIDv7(),
            hash: hashOf(token),
            repository,
            name,
            access,
            createdAt: clock.now(),
            subject,
            personName,
            lastUsedAt: null,
          }
          const inserted = await store.insert(row)
          return inserted.ok ? ok({ token, created: row }) : inserted
        },
      ),

    end: (request: DeployTokenRequest, id: string) =>
      act<void>('end', request, { id }, async () => {
        const removed = await store.remove(keyOf(request.repository), id)
        if (!removed.ok) return removed
        return removed.value ? ok(undefined) : err({ kind: 'deploy_token_not_found' })
      }),

    /** The token of this repository that a password is; `null`: it is none. */
    async authenticate(
      repository: RepositoryId,
      password: string,
    ): Promise<Result<DeployTokenRow | null, DatabaseFailure>> {
      if (!TOKEN.test(password)) return ok(null)
      const row = await store.find(hashOf(password))
      if (!row.ok) return row
      if (row.value === null || row.value.repository !== keyOf(repository)) return ok(null)
      const now = clock.now()
      const { id, lastUsedAt } = row.value
      if (lastUsedAt === null || lastUsedAt + TOUCH_EVERY_MS <= now) await store.touch(id, now)
      return ok(row.value)
    },
  }
}

const keyOf = ({ owner, name }: RepositoryId): string => `${owner}/${name}`.toLowerCase()

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex')

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 43 of 62 letters are 256 bits. */
const SECRET_LENGTH = 43
const CHECKSUM_LENGTH = 6
const TOKEN = /^prd_[0-9A-Za-z]{49}$/

/** `prd_`, a random part, and its CRC-32: secret scanners tell a token from a text that looks like one. */
function newToken(): string {
  const letters = Array.from({ length: SECRET_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)])
  const secret = letters.join('')
  return `prd_${secret}${checksumOf(secret)}`
}

function checksumOf(secret: string): string {
  let rest = crc32(secret)
  let text = ''
  for (let at = 0; at < CHECKSUM_LENGTH; at += 1) {
    text = `${ALPHABET[rest % ALPHABET.length]}${text}`
    rest = Math.floor(rest / ALPHABET.length)
  }
  return text
}
