import type { ObjectId, RepositoryId } from '../../names.ts'
import type { RunLeases } from '../../ports/database/run-leases.ts'
import type { RunStore } from '../../ports/database/runs.ts'
import { ok } from '../../result.ts'
import type { Audit } from '../audit/audit.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { type CatalogProblem, fileFinding } from '../catalog/problem.ts'
import type { Pipeline } from '../promotion/pipeline.ts'
import { createRunEvents } from './events.ts'
import { createHistory } from './history.ts'
import { createRunRecords } from './on-record.ts'
import { createRequestParser } from './request.ts'
import { createRunActors } from './run-actors.ts'
import { createRunner, type RunnerOptions } from './runner.ts'
import { createSecretRights } from './secret-right.ts'
import { createSubmit, type SubmitOptions } from './submit.ts'
import { createTemplates } from './templates.ts'

const RUNS_KEPT_MS = 90 * 24 * 60 * 60_000
const SWEEP_EVERY_MS = 60 * 60_000

export interface ScaffoldOptions
  extends
    Omit<RunnerOptions, 'wakeFollowers' | 'store' | 'gitHost' | 'actors' | 'records'>,
    Pick<SubmitOptions, 'platformGroup' | 'imageRegistry' | 'tenantAppApiVersion' | 'codeowners'> {
  readonly store: RunStore & RunLeases
  readonly templatesRepository: RepositoryId
  readonly catalog: Pick<Catalog, 'read'>
  readonly audit: Pick<Audit, 'decide' | 'finish'>
  readonly pipeline: Pipeline
}

export interface TemplateProblems {
  readonly commit: ObjectId | null
  readonly problems: readonly CatalogProblem[]
}

export type Scaffold = ReturnType<typeof createScaffold>

/** New projects: their templates, runs and history. */
export function createScaffold(options: ScaffoldOptions) {
  const { store, clock, catalog, audit } = options
  const { gitHost, secretStore } = options.ports
  const templates = createTemplates({ gitHost, repository: options.templatesRepository, clock })
  const events = createRunEvents({
    store,
    onBug: (run, error) => options.log({ kind: 'unexpected', run, error }),
  })
  const actors = createRunActors(clock)
  const secretRights = createSecretRights(secretStore)
  const records = createRunRecords(audit)
  const runner = createRunner({
    ...options,
    gitHost,
    actors,
    records,
    wakeFollowers: events.wakeFollowers,
    log(event) {
      if (event.kind === 'run_ended') actors.forget(event.run)
      options.log(event)
    },
  })
  const wake = runner.wake
  const shared = { ...options, gitHost, templates, actors, secretRights, records, wake }
  const submission = createSubmit({
    ...shared,
    async isInCatalog(app) {
      const read = await catalog.read()
      return read.ok ? ok(read.value.value.byRef.has(`component/${app}`)) : read
    },
  })
  const history = createHistory(shared)
  let sweep: Timer | undefined

  const removeOld = () => store.removeEnded(clock.now() - RUNS_KEPT_MS)

  function drain() {
    clearInterval(sweep)
    runner.drain()
  }

  return {
    ...submission,
    ...history,
    parseRequest: createRequestParser(options.pipeline),
    follow: events.follow,
    templates: templates.read,

    /** Problems of the templates repository at a commit; one of them when it cannot be read. */
    async problems(): Promise<TemplateProblems> {
      const read = await templates.read()
      return read.ok ? read.value : { commit: null, problems: [unreadable] }
    },

    start() {
      runner.start()
      void removeOld()
      sweep = setInterval(() => void removeOld(), SWEEP_EVERY_MS)
    },
    drain,
    async close() {
      drain()
      await runner.close()
    },
  }
}

const unreadable: CatalogProblem = {
  ...fileFinding('templates_unavailable', 'the templates repository cannot be read'),
  path: 'templates',
}
