import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '#src/lib/adapters/database/index.ts'
import { createLocalGitHost } from '#src/lib/adapters/hosts/forge/index.ts'
import { createFileSecretStore } from '#src/lib/adapters/secret-store/file/index.ts'
import type { CatalogRead } from '#src/lib/domain/catalog/catalog.ts'
import { createRequesters } from '#src/lib/domain/gitops/requesters.ts'
import { createRuns } from '#src/lib/domain/runs/runs.ts'
import { createScaffold } from '#src/lib/domain/scaffold/scaffold.ts'
import type { Caller } from '#src/lib/domain/scaffold/secret-right.ts'
import type { WorkEvent } from '#src/lib/domain/scaffold/work.ts'
import {
  AppName,
  EnvironmentName,
  RepositoryPath,
  type RunId,
  secretPath,
  TeamName,
} from '#src/lib/names.ts'
import type { Database } from '#src/lib/ports/database.ts'
import { systemClock } from '#src/lib/ports/clock.ts'
import { type SecretStore, SERVICE } from '#src/lib/ports/secret-store.ts'
import type { GitHost } from '#src/lib/ports/git-host.ts'
import { ok } from '#src/lib/result.ts'
import { ephemeralKeyring } from '#tests/support/ephemeral-keyring.ts'
import { pipelineOf } from '#tests/support/pipeline.ts'
import { GITOPS, template, TEMPLATES } from '#tests/support/portal.ts'
import { createRepository } from '#tests/support/repository.ts'
import { keptAudit } from '#tests/support/kept-audit.ts'
import { valueOf } from '#tests/support/value-of.ts'

export const ANN = {
  issuer: 'https://id.example',
  subject: 'ann',
  name: 'Ann',
  email: null,
  groups: { kind: 'known', names: ['payments'] },
} as const
export const BY_ANN: Caller = {
  principal: ANN,
  requestId: 'request-of-ann',
  address: null,
  secretActor: async () => ok({ actor: SERVICE, endsAt: Number.POSITIVE_INFINITY }),
}
const EMPTY_CATALOG = {
  ok: true,
  value: { value: { byRef: new Map(), entities: [] } },
} as unknown as CatalogRead
const DEV = EnvironmentName.of('dev')
export const SECRETS = secretPath(TeamName.of('payments'), AppName.of('shop'), DEV)

/** Scaffolding on real parts, whose ports can be made to misbehave and whose clocks can be put forward. */
export async function openScaffold({
  leaseMs = 300,
  otherHost,
  openSecretStore = (files) => files,
}: {
  readonly leaseMs?: number
  /** In the place of the embedded one. Has the gitops repository. */
  readonly otherHost?: GitHost
  /** In the place of the file store, or around it. */
  readonly openSecretStore?: (files: SecretStore) => SecretStore
} = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'portico-runner-'))
  const local = createLocalGitHost({ directory: join(directory, 'git'), publicUrl: 'http://x' })
  const gitHost: GitHost = otherHost ?? local
  if (otherHost === undefined) await createRepository(gitHost, GITOPS, { 'README.md': 'gitops' })
  await createRepository(gitHost, TEMPLATES, {
    'templates/service/template.yaml': template('service'),
    'templates/service/skeleton/README.md': '# {{ values.appName }}\n',
    'templates/service/skeleton/main.ts': 'serve()\n',
    'templates/another/template.yaml': template('another'),
    'templates/another/skeleton/README.md': 'another',
    'templates/another/gitops/kustomization.yaml': 'resources: [own.yaml]\n',
    'templates/another/gitops/own.yaml': 'kind: Own\n',
  })
  const database = valueOf(await openDatabase('sqlite::memory:'))
  const ports = {
    pulls: { invalidate: async () => undefined },
    requesters: createRequesters({
      store: database.requesters,
      repository: GITOPS,
      clock: systemClock,
    }),
    gitHost: { ...gitHost },
    secretStore: openSecretStore(
      createFileSecretStore({
        versions: () => database.secretVersions,
        keyring: ephemeralKeyring(),
      }),
    ),
  }
  // Two scaffolds of one fixture are two living processes.
  const runs: Database['runs'] = {
    ...database.runs,
    releaseDead: async () => ok(undefined),
  }
  const logged: WorkEvent[] = []
  const kept = keptAudit()
  let ahead = 0
  let off = 0
  const clock = {
    now: () => Date.now() + ahead + off,
    elapsed: () => performance.now() + ahead,
  }
  const readers = createRuns({
    // Calls that are replaced later.
    store: { find: (id) => runs.find(id), events: (...args) => runs.events(...args) },
    platformGroup: 'platform-team',
    onBug: (run, error) => logged.push({ kind: 'unexpected', run, error }),
  })
  const options = {
    ports,
    store: runs,
    runs: readers,
    catalog: { read: () => EMPTY_CATALOG },
    audit: kept.audit,
    gitopsRepository: GITOPS,
    pipeline: pipelineOf(),
    clusterRegistry: () => [],
    reservedNamespaces: [],
    templatesRepository: TEMPLATES,
    catalogDirectory: RepositoryPath.of('catalog'),
    clock,
    log: (event: WorkEvent) => void logged.push(event),
    leaseMs,
    platformGroup: 'platform-team',
    imageRegistry: 'ghcr.io/acme',
    codeowners: '',
    tenantAppApiVersion: 'platform.example.org/v1alpha1',
  }
  const create = () => createScaffold(options)
  const scaffold = create()

  return {
    scaffold,
    follow: readers.follow,
    create,
    options,
    ports,
    gitHost,
    /** The store, whose calls can be replaced. */
    runs,
    /** Ends the leases of all, as the start of the only process does. */
    releaseDead: () => database.runs.releaseDead('project'),
    logged,
    audited: kept.entries,
    clock,
    directory,
    advance: (ms: number) => void (ahead += ms),
    /** Sets the wall clock alone. */
    setClock: (ms: number) => void (off = ms),
    /** Asks for a project without anybody working on it. */
    async submit(more: Readonly<Record<string, unknown>> = {}, asked = scaffold, by = BY_ANN) {
      const request = valueOf(
        asked.parseRequest({
          templateId: 'service',
          appName: 'shop',
          team: 'payments',
          namespace: 'payments',
          ...more,
        }),
      )
      const run = valueOf(await asked.submit(by, request, null))
      return run.id
    },
    async story(id: RunId) {
      const events = valueOf(await runs.events(id, 0))
      return events.map(({ event, data }) => {
        const { step, status, code } = JSON.parse(data) as Record<string, string>
        return event === 'step'
          ? `${step} ${status}`
          : code === undefined
            ? event
            : `${event} ${code}`
      })
    },
    async [Symbol.asyncDispose]() {
      await scaffold.close()
      await database.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

export type Fixture = Awaited<ReturnType<typeof openScaffold>>

/** The last event of a run, when it has ended. */
export async function ended({ follow }: Fixture, id: RunId) {
  const all = await Array.fromAsync(follow(id, 0, AbortSignal.timeout(60_000)))
  const last = all.at(-1)
  return last && { event: last.event, data: JSON.parse(last.data) as Record<string, unknown> }
}
