import { inTime } from '../../../concurrency/in-time.ts'
import { createNextFlight } from '../../../concurrency/next-flight.ts'
import { allAhead, readAhead } from '../../../concurrency/read-ahead.ts'
import type { EnvironmentName, ObjectId } from '../../../names.ts'
import type { Commit, Head } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import type { FieldError } from '../../../schema/field-error.ts'
import { TEXT_RULES } from '../../../schema/rules.ts'
import type { ApplicationId } from '../../gitops/application.ts'
import type { Person } from '../../gitops/requesters.ts'
import type { PromotionDeps } from '../dependencies.ts'
import type { Pipeline, Stage } from '../pipeline.ts'
import {
  type EntityName,
  type NotPromotable,
  type Promotable,
  readNamed,
  type SubjectFailure,
} from '../subject.ts'
import { askedBy, type HistoryRow, movesOf, NO_OVERLAY, readChanges, rowOf } from './changes.ts'
import { createMergedPulls, createOverlayLog } from './log.ts'

/** Changes of an environment that `images` reads. */
const IMAGES_MAX = 20
/** Commits whose overlays are read at once. */
const OVERLAYS_AHEAD = 4
/** A state waits so long. A reading that takes longer goes on, for the next state. */
const PATIENCE_MS = 1_000
const LATE = err({ kind: 'git_host_timeout' } as const)

export interface HistoryQuery {
  readonly environment: EnvironmentName
  /** Commit of the row that the page before ended with. */
  readonly before: ObjectId | null
  readonly limit: number
}

export interface HistoryPage {
  /** Newest first. */
  readonly rows: readonly HistoryRow[]
  /** `before` of the next page; `null` after the last one. */
  readonly next: ObjectId | null
}

export interface InvalidQuery {
  readonly kind: 'validation_failed'
  readonly errors: readonly FieldError[]
}

/** The newest change of each overlay on the default branch, and the person who asked for it. */
export type Deployments = ReadonlyMap<
  Stage,
  { readonly at: number | null; readonly by: Person | null }
>

export type History = ReturnType<typeof createHistory>

/** The history of an application's overlays, from git. Commits and trees never change: what is read of them is kept. */
export function createHistory(deps: PromotionDeps) {
  const { gitHost, repository, pipeline, applications, requesters, clock } = deps
  const log = createOverlayLog(gitHost, repository)
  const pulls = createMergedPulls(gitHost, repository, clock)
  const flights = createNextFlight<Awaited<ReturnType<typeof readPage>>>()

  /** A commit that is gone from the host counts as one without an overlay. */
  async function overlayAt(application: ApplicationId, stage: Stage, commit: ObjectId) {
    const read = await applications.read(commit, application)
    if (!read.ok) return read.error.kind === 'git_not_found' ? ok(NO_OVERLAY) : read
    const { base, overlays } = read.value
    const overlay = overlays.get(stage)
    if (overlay === undefined) return ok(NO_OVERLAY)
    const name = base.ok ? base.value.image : null
    const image = overlay.image && { name: overlay.newName ?? name, ...overlay.image }
    return ok({ exists: true, image })
  }

  async function readPage(
    request: EntityName,
    { environment, before, limit }: HistoryQuery,
  ): Promise<Result<HistoryPage, SubjectFailure | NotPromotable | InvalidQuery>> {
    const stage = pipeline.stageIn(environment)
    if (stage === undefined) return err(unknownEnvironment(pipeline, '/query/environment'))
    const read = await readNamed(deps, request)
    if (!read.ok) return read
    const { branch, commit, ...application } = read.value
    const commits = await log(commit, application, stage.folders)
    if (!commits.ok) return commits
    const query = { base: branch, moves: movesOf(application, stage), before, limit }
    const changed = await readChanges(pulls, commits.value, query)
    if (!changed.ok) {
      return changed.error.kind === 'unknown_change' ? err(UNKNOWN_ROW) : err(changed.error)
    }
    const { changes, older, isCut } = changed.value
    const all = older === null ? changes : [...changes, older]
    const [overlays, known] = await Promise.all([
      allAhead(all, OVERLAYS_AHEAD, (each) => overlayAt(application, stage, each.commit)),
      requesters.of(changes.flatMap(({ pull }) => pull ?? [])),
    ])
    if (!overlays.ok) return overlays
    const rows = changes.map((change, index) => {
      const after = overlays.value[index] ?? NO_OVERLAY
      const before = overlays.value[index + 1] ?? (isCut ? null : NO_OVERLAY)
      return rowOf(stage, change, after, before, known)
    })
    return ok({ rows, next: older === null ? null : (changes.at(-1)?.commit ?? null) })
  }

  /** Deployments that the git host does not tell in time are left out: a state is not to wait or to fail for them. */
  async function deployments(
    { branch, commit }: Head,
    { team, app, application }: Pick<Promotable, 'team' | 'app' | 'application'>,
  ): Promise<Deployments> {
    const read = await Promise.all(
      [...application.overlays].map(async ([stage, { folder }]) => {
        const moves = movesOf({ team, app }, stage)
        const newest = async () => {
          const commits = await log(commit, { team, app }, [folder], 1)
          if (!commits.ok) return commits
          return readChanges(pulls, commits.value, { base: branch, moves, before: null, limit: 1 })
        }
        const newestOf = await inTime(newest(), PATIENCE_MS, LATE)
        return newestOf.ok ? newestOf.value.changes.map((change) => ({ stage, change })) : []
      }),
    )
    const changes = read.flat()
    const known = await requesters.of(changes.flatMap(({ change }) => change.pull ?? []))
    return new Map(
      changes.map(({ stage, change }) => [stage, { at: change.at, by: askedBy(change, known) }]),
    )
  }

  return {
    deployments,

    /** Images that the newest changes of an environment brought, newest first. A commit that cannot be read is left out. */
    async images(at: ObjectId, application: ApplicationId, stage: Stage) {
      const commits = await log(at, application, stage.folders)
      if (!commits.ok) return commits
      const newest = commits.value.slice(0, IMAGES_MAX)
      const images: { readonly tag: string; readonly at: number | null }[] = []
      const read = ({ id }: Commit) => overlayAt(application, stage, id)
      for await (const [commit, overlay] of readAhead(newest, OVERLAYS_AHEAD, read)) {
        const tag = overlay.ok ? overlay.value.image?.tag : null
        if (typeof tag === 'string') images.push({ tag, at: commit.committedAt })
      }
      return ok(images)
    },

    /** Equal pages that are asked for at once are read once. */
    page: (request: EntityName, query: HistoryQuery) =>
      flights(JSON.stringify([request.kind, request.name, query]), () => readPage(request, query)),
  }
}

const invalid = (path: string, rule: FieldError['rule'], message: string) =>
  ({ kind: 'validation_failed', errors: [{ path, rule, message }] }) as const

const UNKNOWN_ROW = invalid('/query/before', 'cursor', TEXT_RULES.cursor)

export function unknownEnvironment({ stages }: Pipeline, path: string): InvalidQuery {
  const environments = stages.map(({ environment }) => environment)
  return invalid(path, 'one_of', `must be one of ${environments.join(', ')}`)
}
