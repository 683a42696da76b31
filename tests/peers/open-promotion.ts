import { join } from 'node:path'
import { openDatabase } from '#src/lib/adapters/database/index.ts'
import { createLocalGitHost } from '#src/lib/adapters/hosts/forge/index.ts'
import { createAudit } from '#src/lib/domain/audit/audit.ts'
import type { MoveRunEvent } from '#src/lib/domain/promotion/move-runs.ts'
import { createPullRequestFacts } from '#src/lib/domain/gitops/pull-request-facts.ts'
import { createRequesters } from '#src/lib/domain/gitops/requesters.ts'
import { createPromotion } from '#src/lib/domain/promotion/promotion.ts'
import { parseRepositoryId, type RunId } from '#src/lib/names.ts'
import { systemClock } from '#src/lib/ports/clock.ts'
import { SERVICE } from '#src/lib/ports/secret-store.ts'
import { ok } from '#src/lib/result.ts'
import { KEY_1, keyringOf } from '#tests/support/fixed-keyring.ts'
import { ALL_RECORDS } from '#tests/support/kept-audit.ts'
import { moveRunsOn } from '#tests/support/move-runs-on.ts'
import { promotionSource } from '#tests/support/promotion-source.ts'
import { openProcessSecretStore } from './process-secret-store.ts'

const ANN = {
  issuer: 'https://id.example',
  subject: 'ann',
  name: 'Ann',
  email: null,
  groups: { kind: 'known', names: ['payments'] },
} as const

/** After which a process that was killed is not waited for. */
const LEASE_MS = 1_000

const SECRETS = { A: 'a', B: 'b' }

interface Asked {
  readonly replicas?: number
  readonly secrets?: Readonly<Record<string, string>>
  readonly isAsync?: boolean
}

/** Replaces the named methods of a port. */
type Wrap = <Port extends object>(port: Port, effects: readonly (keyof Port)[]) => Port

/**
 * One promotion of `shop` with two secrets, on the embedded git host and the secret store of this process, as one of several replicas
 * that share a directory.
 */
export async function openPromotion(directory: string, wrap: Wrap = (port) => port) {
  const repository = parseRepositoryId('acme/gitops')
  const database = await openDatabase(`sqlite:${join(directory, 'portico.sqlite')}`)
  if (!database.ok || repository === undefined) {
    throw new Error('the test is wrong')
  }
  const local = createLocalGitHost({ directory: join(directory, 'git'), publicUrl: 'http://x' })
  const secretStore = await openProcessSecretStore(directory, database.value)
  const gitHost = wrap(local, ['commit', 'openPullRequest'])
  const events: MoveRunEvent[] = []
  const told = { announced: 0 }
  /** Times that the catalog was read anew. */
  const catalog = { invalidated: 0 }
  const clock = {
    aheadMs: 0,
    now: () => Date.now() + clock.aheadMs,
    elapsed: () => systemClock.elapsed(),
  }
  const { parser, options } = promotionSource(gitHost, repository)
  const promotion = createPromotion({
    ...options,
    catalog: {
      ...options.catalog,
      invalidate: async () => void (catalog.invalidated += 1),
    },
    clock,
    secretStore: wrap(secretStore, ['merge', 'label']),
    audit: createAudit(wrap(database.value.audit, ['append', 'amend']), clock, () => {}),
    secretWrites: wrap(database.value.secretWrites, ['replace']),
    digestKeyring: keyringOf(KEY_1),
    ...moveRunsOn(wrap(database.value.runs, ['start', 'append', 'discard']), (event) =>
      events.push(event),
    ),
    leaseMs: LEASE_MS,
    pulls: { invalidate: async () => void (told.announced += 1) },
    facts: createPullRequestFacts(gitHost, repository, clock),
    requesters: createRequesters({
      store: wrap(database.value.requesters, ['note']),
      repository,
      clock,
    }),
  })
  const requestOf = (replicas: number, secrets: Readonly<Record<string, string>>) => {
    const request = promotion.parsePromotion({
      targetLifecycle: 'development',
      overlayConfig: { replicas, secrets },
    })
    if (!request.ok) throw new Error('the test is wrong')
    return request.value
  }
  const shop = { principal: ANN, requestId: 'r', address: null, kind: 'component', name: 'shop' }
  return {
    clock,
    promote: ({ replicas = 2, secrets = SECRETS, isAsync = false }: Asked = {}) =>
      promotion.promote(
        shop,
        requestOf(replicas, secrets),
        async () => ok({ actor: SERVICE }),
        isAsync,
      ),
    confirm: () => promotion.confirm(shop, undefined),
    /** Works on runs that others left. */
    start: promotion.start,
    run: (id: RunId) => promotion.findRun(ANN, id),
    gitHost: local,
    runs: database.value.runs,
    async requesterOf(number: number) {
      const found = await database.value.requesters.find('acme/gitops', [number])
      return found.ok ? found.value[0] : undefined
    },
    auditRows: () => database.value.audit.list(ALL_RECORDS),
    catalog,
    /** Announcements to the other replicas. */
    told,
    /** What the runs told. */
    events,
    async [Symbol.asyncDispose]() {
      await promotion.close()
      parser.close()
      await secretStore.close()
      await database.value.close()
    },
  }
}
