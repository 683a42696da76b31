import { type Connection, connect } from './connection.ts'
import { usage } from './failure.ts'
import { type Cell, line, printJson, printTable, type Tone } from './print.ts'

export interface Output {
  readonly portal?: string
  readonly output: 'text' | 'json'
}

interface Image {
  readonly tag: string | null
}

interface ApplicationRow {
  readonly entity: { readonly kind: string; readonly name: string }
  readonly team: string
  readonly lifecycle: string
  readonly environments: readonly {
    readonly name: string
    readonly state: State
    readonly image: Image | null
    readonly pullRequest: number | null
    readonly behind: string | null
  }[]
}

type State = 'none' | 'pr_open' | 'pr_closed' | 'ready_to_confirm' | 'live'

/** Members of the promotion state that the client reads. */
export interface PromotionState {
  readonly lifecycle: string | null
  readonly team: string | null
  readonly pullRequests: readonly {
    readonly number: number
    readonly url: string
    readonly environment: string | null
  }[]
  readonly environments: readonly {
    readonly name: string
    readonly lifecycle: string
    readonly state: State
    readonly image: Image | null
    readonly pullRequest: number | null
    readonly proposed: { readonly pullRequest: number } | null
    readonly runsOn: readonly {
      readonly cluster: string
      readonly namespace: string
      readonly labelSelector: string
      readonly allowed: boolean | null
    }[]
  }[]
  readonly confirm: { readonly available: boolean }
}

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
  const rows = await connection.read<readonly ApplicationRow[]>(
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
