/**
 * A process that makes one project, or goes on with it, on the embedded git host and the secret store of its environment, and kills
 * itself at a point between two effects. Arguments: data directory, number of the point (0: none). Prints how many points it passed.
 */
import { join } from 'node:path'
import { openDatabase } from '#src/lib/adapters/database/index.ts'
import { createLocalGitHost } from '#src/lib/adapters/hosts/forge/index.ts'
import type { CatalogRead } from '#src/lib/domain/catalog/catalog.ts'
import { createRequesters } from '#src/lib/domain/gitops/requesters.ts'
import { createRuns } from '#src/lib/domain/runs/runs.ts'
import { createScaffold } from '#src/lib/domain/scaffold/scaffold.ts'
import type { Caller } from '#src/lib/domain/scaffold/secret-right.ts'
import { parseRepositoryId, RepositoryPath } from '#src/lib/names.ts'
import { systemClock } from '#src/lib/ports/clock.ts'
import { SERVICE } from '#src/lib/ports/secret-store.ts'
import { ok } from '#src/lib/result.ts'
import { pipelineOf } from '#tests/support/pipeline.ts'
import { createDeath } from '#tests/support/mortal.ts'
import { openProcessSecretStore } from './process-secret-store.ts'
import { createAudit } from '#src/lib/domain/audit/audit.ts'

const [directory = '', dieAt = '0'] = process.argv.slice(2)
const EMPTY_CATALOG = {
  ok: true,
  value: { value: { byRef: new Map(), entities: [] } },
} as unknown as CatalogRead
const ANN = {
  issuer: 'https://id.example',
  subject: 'ann',
  name: 'Ann',
  email: null,
  groups: { kind: 'known', names: ['payments'] },
} as const

const caller: Caller = {
  principal: ANN,
  requestId: 'r',
  address: null,
  secretActor: async () => ok({ actor: SERVICE, endsAt: Number.POSITIVE_INFINITY }),
}

async function main(): Promise<void> {
  const { mortal, passed } = createDeath(Number(dieAt))

  const gitops = parseRepositoryId('acme/gitops')
  const templates = parseRepositoryId('acme/templates')
  const database = await openDatabase(`sqlite:${join(directory, 'portico.sqlite')}`)
  if (!database.ok || gitops === undefined || templates === undefined) {
    throw new Error('the test is wrong')
  }
  const gitHost = createLocalGitHost({ directory: join(directory, 'git'), publicUrl: 'http://x' })
  const secretStore = await openProcessSecretStore(directory, database.value)

  const runs = createRuns({
    store: database.value.runs,
    platformGroup: 'platform-team',
    onBug: (_, bug) => {
      throw bug
    },
  })
  const scaffold = createScaffold({
    runs,
    ports: {
      gitHost: mortal(gitHost, ['createRepository', 'commit', 'openPullRequest']),
      secretStore: mortal(secretStore, ['merge', 'label']),
      pulls: { invalidate: async () => undefined },
      requesters: createRequesters({
        store: database.value.requesters,
        repository: gitops,
        clock: systemClock,
      }),
    },
    store: mortal(database.value.runs, ['start', 'claim', 'append']),
    catalog: { read: () => EMPTY_CATALOG },
    audit: createAudit(database.value.audit, systemClock, () => {}),
    gitopsRepository: gitops,
    pipeline: pipelineOf(),
    clusterRegistry: () => [],
    reservedNamespaces: [],
    templatesRepository: templates,
    catalogDirectory: RepositoryPath.of('catalog'),
    clock: systemClock,
    log: () => {},
    platformGroup: 'platform-team',
    imageRegistry: 'ghcr.io/acme',
    codeowners: '',
    tenantAppApiVersion: 'platform.example.org/v1alpha1',
  })

  const request = scaffold.parseRequest({
    templateId: 'service',
    appName: 'shop',
    team: 'payments',
    namespace: 'payments',
  })
  if (!request.ok) throw new Error('the test is wrong')
  scaffold.start()
  const known = await scaffold.list(ANN, { team: null, before: null, limit: 1 })
  if (!known.ok) throw new Error(known.error.reason)
  let [run] = known.value.runs
  if (run === undefined) {
    const submitted = await scaffold.submit(caller, request.value, null)
    if (!submitted.ok) throw new Error(submitted.error.kind)
    run = submitted.value
  }
  let last = ''
  for await (const { event } of runs.follow(run.id, 0, AbortSignal.timeout(60_000))) last = event
  console.log(`${passed()} ${last}`)
  await scaffold.close()
  await secretStore.close()
  await database.value.close()
}

// Bytecode has no `await` outside of a function.
void main()
