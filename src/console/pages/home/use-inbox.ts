import { HEALTH_EVERY_MS, useResource } from '../../api/resource.ts'
import type { Session } from '../../api/session.ts'
import { environmentsOf } from '../catalog/applications.ts'
import { brokenIn } from './causes.ts'
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

/** The table of services shows fewer; the rest is in the catalog. */
const SERVICES_MAX = 30

/** Services of the person's teams, of one team or of everybody, with their health and open moves. */
export function useServices(person: Session | undefined, filter: Parameters<typeof useInbox>[1]) {
  const health = useResource('/api/v1/health', { query: filter, everyMs: HEALTH_EVERY_MS })
  const services = useResource('/api/v1/environments', {
    query: { ...filter, limit: SERVICES_MAX },
    topic: 'promotions',
  })
  const broken = brokenIn(health.value ?? [], environmentsOf(services.value ?? []))
  return { health, services, broken, inbox: useInbox(person, filter) }
}
