import { notFound, Refusal } from './answer.ts'
import { fullName, type Repository, type Rights, type State, type Token } from './state.ts'

export interface Call {
  readonly state: State
  readonly token: Token
  readonly method: string
  readonly parameters: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, string | undefined>>
  /** JSON of the request. */
  readonly body: unknown
  /** A form of several parts. */
  readonly form: { get(name: string): unknown } | null
}

const RANK: Readonly<Record<Rights, number>> = { none: 0, read: 1, write: 2, admin: 3 }
const NEEDS_ADMIN = 'user should be an owner or a collaborator with admin write of a repository'

/** The repository of the path, for who may do this in it. */
export function repositoryOf(
  { state, token, parameters, method }: Call,
  need: Rights = 'read',
): Repository {
  const { owner = '', repo = '' } = parameters
  const repository = state.repository(owner, repo)
  if (repository === undefined) throw notFound()
  if (repository.isPrivate && token.rights === 'none') throw notFound()
  if (need === 'write' && method !== 'GET' && repository.isArchived) {
    throw new Refusal(423, `${fullName(repository)} is archived`)
  }
  if (RANK[token.rights] < RANK[need]) {
    throw new Refusal(403, need === 'admin' ? NEEDS_ADMIN : 'user should have write permission')
  }
  return repository
}

export const parameter = ({ parameters }: Call, name: string): string => parameters[name] ?? ''

const PER_PAGE_MAX = 50

export interface Page<Item> {
  readonly items: readonly Item[]
  readonly headers: Readonly<Record<string, string>>
}

/** One page of a list, with the headers that lead to the others. */
export function pageOf<Item>(
  all: readonly Item[],
  { query }: Pick<Call, 'query'>,
  address: string,
): Page<Item> {
  const limit = Math.min(Number(query.get('limit') ?? 30) || 30, PER_PAGE_MAX)
  const page = Math.max(Number(query.get('page') ?? 1), 1)
  const last = Math.ceil(all.length / limit)
  const link = (to: number, rel: string) => {
    const there = new URLSearchParams(query)
    there.set('page', String(to))
    there.set('limit', String(limit))
    there.sort()
    return `<${address}?${there.toString()}>; rel="${rel}"`
  }
  const links = [
    ...(page < last ? [link(page + 1, 'next'), link(last, 'last')] : []),
    ...(page > 1 ? [link(1, 'first'), link(page - 1, 'prev')] : []),
  ]
  return {
    items: all.slice((page - 1) * limit, page * limit),
    headers: {
      'x-total-count': String(all.length),
      ...(links.length > 0 && { link: links.join(',') }),
    },
  }
}

export const addressOf = ({ state, parameters }: Call, rest: string): string =>
  `${state.url}/api/v1/repos/${parameters['owner']}/${parameters['repo']}/${rest}`
