import { EXIT_REFUSED } from '../exit-status.ts'
import { objectOf } from './api.ts'
import { type Output, promotionPath, type PromotionState, readState } from './apps.ts'
import { type Connection, connect } from './connection.ts'
import { ClientFailure, usage } from './failure.ts'
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
  /** Of a preview with their differences, else paths. */
  readonly files: readonly (string | { readonly diff: string })[]
}

const POLL_MS = 5_000

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
  const outcome = await connection.write<Outcome>(path, body)
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

/** Waits until people have merged or closed the pull request. */
async function waitFor(
  connection: Connection,
  app: string,
  to: string,
  number: number,
  output: Output['output'],
): Promise<void> {
  for (;;) {
    const state = await readState(connection, app)
    const { state: now } = environmentOf(state, to)
    const isOpen = state.pullRequests.some((pull) => pull.number === number)
    if (now === 'pr_closed') {
      throw new ClientFailure(`pull request #${number} was closed without a merge`, EXIT_REFUSED)
    }
    if (!isOpen) {
      if (output === 'text')
        line(now === 'live' ? `${to} is live` : `Merged; confirm it at ${connection.portal}`)
      return
    }
    await Bun.sleep(POLL_MS)
  }
}
