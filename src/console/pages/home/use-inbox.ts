import { useResource } from '../../api/resource.ts'
import type { Session } from '../../api/session.ts'
import { inboxOf } from './inbox.ts'

const MOVES_MAX = 100
const RUNS_MAX = 20

/** The navigation and the home page ask for the same, once. */
export function useInbox(
  person: Session | undefined,
  filter: { readonly mine?: true; readonly team?: string },
) {
  const isAsked = person !== undefined
  const moves = useResource(isAsked ? '/api/v1/promotions' : null, {
    query: { limit: MOVES_MAX, ...filter },
    topic: 'promotions',
  })
  const runs = useResource(isAsked ? '/api/v1/scaffold/runs' : null, { query: { limit: RUNS_MAX } })
  return {
    inbox: person && moves.value && inboxNow(moves.value, runs.value ?? [], person),
    moves,
    total: Number(moves.headers?.get('x-total-count') ?? 0),
  }
}

const inboxNow = (
  moves: Parameters<typeof inboxOf>[0],
  runs: Parameters<typeof inboxOf>[1],
  person: Session,
) => inboxOf(moves, runs, { person, now: Date.now() })
