import type { ObjectId, RepositoryId, RunId } from '../../names.ts'
import type { RunLeases } from '../../ports/database/run-leases.ts'
import type { Cluster } from '../../ports/clusters.ts'
import type { RunStore } from '../../ports/database/runs.ts'
import { ok } from '../../result.ts'
import type { Audit } from '../audit/audit.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { owningTeams } from '../catalog/owning-teams.ts'
import { type CatalogProblem, fileFinding } from '../catalog/problem.ts'
import { teamOfNamespace } from '../clusters/namespace-pattern.ts'
import type { Pipeline } from '../promotion/pipeline.ts'
import { createRunner } from '../runs/runner.ts'
import type { Runs } from '../runs/runs.ts'
import { createHistory } from './history.ts'
import { createRunRecords } from './on-record.ts'
import { createRequestParser } from './request.ts'
import { createRunActors } from './run-actors.ts'
import { createSecretRights } from './secret-right.ts'
import { createSubmit, type SubmitOptions } from './submit.ts'
import { createTemplates, type TemplateList } from './templates.ts'
import { unquotedProblems } from './unquoted.ts'
import { workOn, type WorkOptions } from './work.ts'

const RUNS_KEPT_MS = 90 * 24 * 60 * 60_000
const SWEEP_EVERY_MS = 60 * 60_000

export interface ScaffoldOptions
  extends
    Omit<WorkOptions, 'wakeFollowers' | 'store' | 'gitHost' | 'actors' | 'records'>,
    Pick<SubmitOptions, 'platformGroup' | 'imageRegistry' | 'tenantAppApiVersion' | 'codeowners'> {
  readonly store: RunStore & RunLeases
  readonly runs: Pick<Runs, 'find' | 'sees' | 'wakeFollowers'>
  readonly templatesRepository: RepositoryId
  readonly catalog: Pick<Catalog, 'read'>
  readonly audit: Pick<Audit, 'decide' | 'finish'>
  readonly pipeline: Pipeline
  readonly clusterRegistry: () => readonly Pick<Cluster, 'environments'>[]
  /** Names with `*` at one end, beside the built-in ones. */
  readonly reservedNamespaces: readonly string[]
}

export interface TemplateProblems {
  readonly commit: ObjectId | null
  readonly problems: readonly CatalogProblem[]
}

export type Scaffold = ReturnType<typeof createScaffold>

/** New projects: their templates, runs and history. */
export function createScaffold(options: ScaffoldOptions) {
  const { store, runs, clock, catalog, audit } = options
  const { gitHost, secretStore } = options.ports
  const templates = createTemplates({ gitHost, repository: options.templatesRepository, clock })
  const onBug = (run: RunId, error: unknown) => options.log({ kind: 'unexpected', run, error })
  const actors = createRunActors(clock)
  const unquoted = new WeakMap<TemplateList, ReturnType<typeof unquotedProblems>>()

  /** Read once for each commit of the templates. */
  async function unquotedOf(list: TemplateList): ReturnType<typeof unquotedProblems> {
    const { templatesRepository } = options
    const reading =
      unquoted.get(list) ?? unquotedProblems(gitHost, templatesRepository, list.templates)
    unquoted.set(list, reading)
    const read = await reading
    if (!read.ok) unquoted.delete(list)
    return read
  }
  const secretRights = createSecretRights(secretStore)
  const records = createRunRecords(audit)
  const working: WorkOptions = {
    ...options,
    gitHost,
    actors,
    records,
    wakeFollowers: runs.wakeFollowers,
    log(event) {
      if (event.kind === 'run_ended') actors.forget(event.run)
      options.log(event)
    },
  }
  const runner = createRunner({
    ...options,
    kind: 'project',
    work: (row, holder, stopping) => workOn(working, row, holder, stopping),
    onBug,
  })
  const wake = runner.wake
  const shared = { ...options, gitHost, templates, actors, secretRights, records, wake }
  const submission = createSubmit({
    ...shared,
    async isInCatalog(app) {
      const read = await catalog.read()
      return read.ok ? ok(read.value.value.byRef.has(`component/${app}`)) : read
    },
    async teamOfNamespace(namespace, team) {
      const read = await catalog.read()
      if (!read.ok) return read
      const teams = owningTeams(read.value.value, options.gitopsRepository.owner)
      return ok(teamOfNamespace(options.clusterRegistry(), namespace, new Set([...teams, team])))
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
    parseRequest: createRequestParser(options.pipeline, options.reservedNamespaces),
    templates: templates.read,

    /** Problems of the templates repository at a commit; one of them when it cannot be read. */
    async problems(): Promise<TemplateProblems> {
      const read = await templates.read()
      if (!read.ok) return { commit: null, problems: [unreadable] }
      const found = await unquotedOf(read.value)
      const { commit, problems } = read.value
      return { commit, problems: [...problems, ...(found.ok ? found.value : [unreadable])] }
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
