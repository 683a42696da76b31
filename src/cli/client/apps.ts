import type { Static } from 'typebox'
import type { AppRow } from '../../lib/presenters/promotion/app-row.ts'
import type { PromotionState as PromotionStateSchema } from '../../lib/presenters/promotion/state.ts'
import { type Connection, connect } from './connection.ts'
import { usage } from './failure.ts'
import { type Cell, line, printJson, printTable, type Tone } from './print.ts'

export interface Output {
  readonly portal?: string
  readonly output: 'text' | 'json'
}

export type PromotionState = Static<typeof PromotionStateSchema>
type State = PromotionState['environments'][number]['state']

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/

/** `payments-api` is a component; `system/checkout` names its kind. */
export function entityPath(app: string): string {
  const [name = '', kind = 'component', ...more] = app.split('/').toReversed()
  if (!NAME.test(name) || !NAME.test(kind) || more.length > 0) {
    throw usage('an application must be a name, or kind/name')
  }
  return `${kind}/${name}`
}

export const promotionPath = (app: string): string =>
  `/api/v1/catalog/entities/${entityPath(app)}/promotion`

export const readState = (connection: Connection, app: string): Promise<PromotionState> =>
  connection.read(promotionPath(app))

const TONES: Readonly<Record<State, Tone>> = {
  none: 'soft',
  pr_open: 'soft',
  pr_closed: 'bad',
  ready_to_confirm: 'good',
  live: 'good',
}

/** Lists applications and their environments: the person's own, or a team's. */
export async function list({
  team,
  output,
  portal,
}: Output & { readonly team?: string }): Promise<void> {
  const connection = connect(portal === undefined ? {} : { portal })
  const query = new URLSearchParams(team === undefined ? { mine: 'true' } : { team })
  const rows = await connection.read<readonly Static<typeof AppRow>[]>(
    `/api/v1/environments?${query.toString()}`,
  )
  if (output === 'json') return printJson(rows)
  const [first] = rows
  if (first === undefined) return line('There are no applications.')
  const head = ['APPLICATION', 'TEAM', ...first.environments.map(({ name }) => name.toUpperCase())]
  printTable(
    head,
    rows.map(({ entity, team: owner, environments }) => [
      entity.name,
      owner,
      ...environments.map(({ state, image, pullRequest }): Cell => {
        const number = pullRequest === null ? '' : ` #${pullRequest}`
        return { text: `${image?.tag ?? '–'}${number}`, tone: TONES[state] }
      }),
    ]),
  )
}

/** The environments of an application. */
export async function status(app: string, { output, ...options }: Output): Promise<void> {
  const state = await readState(connect(options), app)
  if (output === 'json') return printJson(state)
  printTable(
    ['ENVIRONMENT', 'STATE', 'IMAGE', 'PULL REQUEST'],
    state.environments.map((environment) => [
      environment.name,
      { text: environment.state.replaceAll('_', ' '), tone: TONES[environment.state] },
      environment.image?.tag ?? '–',
      pullUrl(state, environment.pullRequest ?? environment.proposed?.pullRequest ?? null),
    ]),
  )
  line(`Lifecycle: ${state.lifecycle ?? 'none'}`)
}

export const pullUrl = ({ pullRequests }: PromotionState, number: number | null): string =>
  number === null ? '' : (pullRequests.find((pull) => pull.number === number)?.url ?? `#${number}`)
