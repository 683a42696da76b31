/**
 * A process that asks once for a promotion with a secret on the embedded adapters, and kills itself at a point between two
 * effects. Arguments: data directory, number of the point (0: none). Prints how many points it passed, and what was answered.
 */
import { join } from 'node:path'
import { openDatabase } from '#src/lib/adapters/database/index.ts'
import { createLocalGitHost } from '#src/lib/adapters/git-host/local/index.ts'
import { createFileSecretStore } from '#src/lib/adapters/secret-store/file/index.ts'
import { createAudit } from '#src/lib/domain/audit/audit.ts'
import { createCatalog } from '#src/lib/domain/catalog/catalog.ts'
import { createCatalogParser } from '#src/lib/domain/catalog/parser.ts'
import { createPromotion } from '#src/lib/domain/promotion/promotion.ts'
import { parseKeys } from '#src/lib/crypto/keyring.ts'
import { parseRepositoryId, RepositoryPath } from '#src/lib/names.ts'
import { systemClock as clock } from '#src/lib/ports/clock.ts'
import { SERVICE } from '#src/lib/ports/secret-store.ts'
import { pipelineOf } from '#tests/support/pipeline.ts'
import { createDeath } from '#tests/support/mortal.ts'

const [directory = '', dieAt = '0'] = process.argv.slice(2)
const { mortal, passed } = createDeath(Number(dieAt))
const ANN = {
  issuer: 'https://id.example',
  subject: 'ann',
  name: 'Ann',
  email: null,
  groups: { kind: 'known', names: ['payments'] },
} as const

const keys = parseKeys(`s1:${Buffer.alloc(32, 1).toString('base64')}`)
const repository = parseRepositoryId('acme/gitops')
const database = await openDatabase(`sqlite:${join(directory, 'portico.sqlite')}`)
if (!keys.ok || !database.ok || repository === undefined) {
  throw new Error('the test is wrong')
}
const local = createLocalGitHost({ directory: join(directory, 'git'), publicUrl: 'http://x' })
const gitHost = mortal(local, ['commit', 'openPullRequest'])
const pipeline = pipelineOf()
const parser = createCatalogParser({ lifecycles: pipeline.lifecycles })
const promotion = createPromotion({
  gitHost,
  secretStore: mortal(
    createFileSecretStore({ directory: join(directory, 'secrets'), keyring: keys.value }),
    ['merge', 'label'],
  ),
  repository,
  catalog: {
    ...createCatalog({
      gitHost,
      repository,
      directory: RepositoryPath.of('catalog'),
      parser,
      kept: { recall: async () => new Map(), remember: () => undefined },
      clock,
      ttlSeconds: 300,
      maxStaleSeconds: 0,
    }),
    invalidate: () => Promise.reject(new Error('the test is wrong')),
  },
  audit: createAudit({ store: mortal(database.value.audit, ['append']), clock, log: () => {} }),
  secretWrites: mortal(database.value.secretWrites, ['replace']),
  keyring: keys.value,
  clock,
  platformGroup: 'platform-team',
  pipeline,
})
const request = promotion.parsePromotion({
  targetLifecycle: 'development',
  overlayConfig: { replicas: 2, secrets: { A: 'a', B: 'b' } },
})
if (!request.ok) throw new Error('the test is wrong')
const entityRequest = {
  principal: ANN,
  requestId: 'r',
  address: null,
  kind: 'component',
  name: 'shop',
}
const promoted = await promotion.promote(entityRequest, request.value, SERVICE)
console.log(`${passed()} ${promoted.ok ? 'ok' : promoted.error.kind}`)
parser.close()
await database.value.close()
