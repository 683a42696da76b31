import { openDatabase } from '#src/lib/adapters/database/index.ts'
import { createFileSecretStore } from '#src/lib/adapters/secret-store/file/index.ts'
import { createAudit } from '#src/lib/domain/audit/audit.ts'
import { createPullRequestFacts } from '#src/lib/domain/gitops/pull-request-facts.ts'
import { createRequesters } from '#src/lib/domain/gitops/requesters.ts'
import { createPromotion } from '#src/lib/domain/promotion/promotion.ts'
import { BranchName, EnvironmentName, RepositoryPath } from '#src/lib/names.ts'
import { systemClock as clock } from '#src/lib/ports/clock.ts'
import { SERVICE } from '#src/lib/ports/secret-store.ts'
import { ok } from '#src/lib/result.ts'
import { type GitHostFixture, value } from '#tests/contracts/git-host.ts'
import { commitFiles } from './commit-files.ts'
import { ephemeralKeyring } from './ephemeral-keyring.ts'
import { moveRunsOn } from './move-runs-on.ts'
import { promotionSource } from './promotion-source.ts'
import { valueOf } from '#tests/support/value-of.ts'

const PLATFORM = {
  issuer: 'https://id.example',
  subject: 'platform',
  name: 'Platform',
  email: null,
  groups: { kind: 'known', names: ['platform-team'] },
} as const

/** Promotes the application `shop` on any git host, in the name of the platform team. Secrets are not written. */
export async function openPromotionOn(
  { host, repository }: Pick<GitHostFixture, 'host' | 'repository'>,
  files: Readonly<Record<string, string | Uint8Array>>,
) {
  const commit = async (changed: typeof files) =>
    void valueOf(await commitFiles(host, repository, changed))
  await commit(files)
  const database = valueOf(await openDatabase('sqlite::memory:'))
  const { parser, options } = promotionSource(host, repository)
  const keyring = ephemeralKeyring()
  const promotion = createPromotion({
    ...options,
    secretStore: createFileSecretStore({ versions: () => database.secretVersions, keyring }),
    audit: createAudit(database.audit, clock, () => {}),
    secretWrites: database.secretWrites,
    digestKeyring: keyring,
    ...moveRunsOn(database.runs),
    pulls: { invalidate: async () => undefined },
    facts: createPullRequestFacts(host, repository, clock),
    requesters: createRequesters({ store: database.requesters, repository, clock }),
  })
  const shop = {
    principal: PLATFORM,
    requestId: 'r',
    address: null,
    kind: 'component',
    name: 'shop',
  }
  const actor = async () => ok({ actor: SERVICE })
  const requestOf = (targetLifecycle: string, overlayConfig: object) => {
    return valueOf(promotion.parsePromotion({ targetLifecycle, overlayConfig }))
  }
  return {
    commit,
    state: () => promotion.state(shop),
    history: () =>
      promotion.history(shop, { environment: EnvironmentName.of('dev'), before: null, limit: 20 }),
    promote: (target: string, config: object = {}) =>
      promotion.promote(shop, requestOf(target, config), actor),
    preview: (target: string, config: object = {}) =>
      promotion.preview(shop, requestOf(target, config), actor),
    textAt: async (branch: string, path: string) => {
      const head = value(await host.head(repository, BranchName.of(branch)))
      const file = { path: RepositoryPath.of(path) }
      for await (const read of host.readFiles(repository, head.commit, [file], 64 * 1024)) {
        return new TextDecoder().decode(value(read).bytes ?? new Uint8Array())
      }
      return undefined
    },
    async [Symbol.asyncDispose]() {
      parser.close()
      await database.close()
    },
  }
}
