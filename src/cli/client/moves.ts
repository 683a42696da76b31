import type { Static } from 'typebox'
import type { PromotionRun } from '../../lib/presenters/promotion/run.ts'
import { EXIT_FAILED, EXIT_REFUSED } from '../exit-status.ts'
import { objectOf } from './api.ts'
import { type Output, promotionPath, type PromotionState, readState } from './apps.ts'
import { type Connection, connect } from './connection.ts'
import { ClientFailure, failureOf, usage } from './failure.ts'
import { line, printJson } from './print.ts'

export interface MoveRequest extends Output {
  readonly to: string
  readonly image?: string
  readonly from?: string
  readonly set: readonly string[]
  readonly message?: string
  readonly dryRun: boolean
  readonly wait: boolean
}

interface Outcome {
  readonly status: string
  readonly pullRequest: { readonly number: number; readonly url: string } | null
  readonly warnings: readonly { readonly message: string }[]
  /** Differences of a preview; of a move, paths. */
  readonly files: readonly (string | { readonly diff: string })[]
}

/** The answer to a move that goes on by itself. */
interface AcceptedRun {
  readonly runId: string
}

const POLL_MS = 5_000
/** Reads that fail one after the other before the command gives up: a portal that is updated comes back. */
const FAILED_READS_MAX = 60
/** A git host may tell only after half a minute which pull request a merge belongs to. */
const ENDED_POLLS_MAX = 12

/** Proposes an environment, or with an image a release where the application runs already. Portico opens a pull request. */
export async function move(app: string, request: MoveRequest): Promise<void> {
  const connection = connect(request)
  const state = await readState(connection, app)
  const { lifecycle } = environmentOf(state, request.to)
  await propose(connection, app, lifecycle, request)
}

/** Proposes the image that ran before, or an earlier one. */
export async function rollback(app: string, request: MoveRequest): Promise<void> {
  const connection = connect(request)
  const { lifecycle, name, image } = environmentOf(await readState(connection, app), request.to)
  const query = new URLSearchParams({ environment: name, limit: '50' })
  const rows = await connection.read<
    readonly { readonly image: { readonly tag: string | null } | null }[]
  >(`${promotionPath(app)}/history?${query.toString()}`)
  const tags = rows.flatMap((row) => row.image?.tag ?? [])
  const tag = request.image ?? tags.find((earlier) => earlier !== image?.tag)
  if (tag === undefined) throw new ClientFailure('no other image ran there before', EXIT_REFUSED)
  if (!tags.includes(tag)) throw new ClientFailure(`${tag} never ran there`, EXIT_REFUSED)
  await propose(connection, app, lifecycle, { ...request, image: tag })
}

function environmentOf(
  { environments }: PromotionState,
  name: string,
): PromotionState['environments'][number] {
  const found = environments.find((environment) => environment.name === name)
  if (found !== undefined) return found
  throw usage(`--to must be one of ${environments.map((one) => one.name).join(', ')}`)
}

async function propose(
  connection: Connection,
  app: string,
  targetLifecycle: string,
  { image: tag, from, set, message, dryRun, wait, output, to }: MoveRequest,
): Promise<void> {
  if (tag !== undefined && from !== undefined) throw usage('--image and --from exclude each other')
  const image = tag === undefined ? from && { from } : { tag }
  const overlayConfig = { ...objectOf(set), ...(image !== undefined && image !== '' && { image }) }
  const body = { targetLifecycle, overlayConfig, ...(message !== undefined && { message }) }
  const path = `${promotionPath(app)}${dryRun ? '?dryRun=true' : ''}`
  const answer = await connection.write<Outcome | AcceptedRun>(path, body)
  if ('runId' in answer && !wait) {
    if (output === 'json') printJson(answer)
    else line(`The git host is slow. Run ${answer.runId} goes on by itself`)
    return
  }
  const outcome = 'runId' in answer ? await outcomeOf(connection, answer) : answer
  if (output === 'json') printJson(outcome)
  else {
    for (const { message: text } of outcome.warnings) line(`Warning: ${text}`)
    for (const file of outcome.files) {
      if (typeof file !== 'string') for (const text of file.diff.trimEnd().split('\n')) line(text)
    }
    if (!dryRun) line(wordsOf(outcome, app))
  }
  if (wait && !dryRun && outcome.pullRequest !== null) {
    await waitFor(connection, app, to, outcome.pullRequest.number, output)
  }
}

function wordsOf({ status, pullRequest }: Outcome, app: string): string {
  if (status === 'ready_to_confirm') return `${app} is merged there and waits for its confirmation`
  return pullRequest === null ? 'The secrets are written' : `Opened ${pullRequest.url}`
}

/** Waits for a move that goes on by itself. */
async function outcomeOf(connection: Connection, { runId }: AcceptedRun): Promise<Outcome> {
  for (;;) {
    const { outcome, failure } = await patiently(() =>
      connection.read<Static<typeof PromotionRun>>(`/api/v1/promotions/runs/${runId}`),
    )
    if (failure !== null) throw new ClientFailure(failure.message, EXIT_REFUSED)
    if (outcome !== null) {
      const { status, prNumber, prUrl } = outcome
      const pullRequest =
        prNumber === null || prUrl === null ? null : { number: prNumber, url: prUrl }
      return { status, pullRequest, warnings: [], files: [] }
    }
    await Bun.sleep(POLL_MS)
  }
}

/** Reads again what failed in a way that ends by itself. */
async function patiently<Value>(read: () => Promise<Value>): Promise<Value> {
  for (let failed = 1; ; failed += 1) {
    try {
      return await read()
    } catch (error) {
      const isPassing = failureOf(error)?.exitStatus === EXIT_FAILED
      if (!isPassing || failed === FAILED_READS_MAX) throw error
      await Bun.sleep(POLL_MS)
    }
  }
}

/** Waits until people have merged or closed the pull request. */
async function waitFor(
  connection: Connection,
  app: string,
  to: string,
  number: number,
  output: Output['output'],
): Promise<void> {
  for (let endedPolls = 0; ;) {
    const state = await patiently(() => readState(connection, app))
    if (!state.pullRequests.some((pull) => pull.number === number)) endedPolls += 1
    if (endedPolls > ENDED_POLLS_MAX) {
      throw new ClientFailure(`pull request #${number} was closed without a merge`, EXIT_REFUSED)
    }
    if (endedPolls > 0 && (await isMerged(connection, app, to, number))) {
      const isLive = environmentOf(state, to).state === 'live'
      if (output === 'text')
        line(isLive ? `${to} is live` : `Merged; confirm it at ${connection.portal}`)
      return
    }
    await Bun.sleep(POLL_MS)
  }
}

/** Whether the environment was changed by this pull request: what runs there says nothing when it ran before. */
async function isMerged(
  connection: Connection,
  app: string,
  environment: string,
  number: number,
): Promise<boolean> {
  const query = new URLSearchParams({ environment, limit: '20' })
  const path = `${promotionPath(app)}/history?${query.toString()}`
  const rows = await patiently(() =>
    connection.read<readonly { readonly pullRequest: { readonly number: number } | null }[]>(path),
  )
  return rows.some((row) => row.pullRequest?.number === number)
}
