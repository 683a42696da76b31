import { allAhead } from '../../concurrency/read-ahead.ts'
import { type EnvironmentName, Label, type TeamName } from '../../names.ts'
import type { Cluster, ClusterFailure, Kubernetes, PersonAccess } from '../../ports/clusters.ts'
import { err, ok, type Result } from '../../result.ts'
import type { Principal } from '../access/principal.ts'
import type { AccessFailure, PersonRequest, WithPersonAccess } from './access.ts'
import { type AccessReviews, LIST_PODS, RESTART, type Right } from './access-reviews.ts'
import { type AllPages, readAllPages, withReadDeadline } from './all-pages.ts'
import { namespaceFor, namespaceOwner } from './namespace-pattern.ts'
import type { KnownTeams } from './known-teams.ts'

export interface NamespaceEntry {
  readonly name: Label
  readonly environment: EnvironmentName | null
  readonly team: TeamName | null
  readonly canRestart: boolean
}

export interface NamespacesSource {
  readonly kubernetes: Pick<Kubernetes, 'namespaces'>
  readonly findVisible: (principal: Principal, id: Label) => Cluster | undefined
  readonly withPersonAccess: WithPersonAccess
  readonly reviews: Pick<AccessReviews, 'ask'>
  readonly teams: KnownTeams
}

/** Each is a question to the cluster, unless the person may do it everywhere. */
const CANDIDATES_MAX = 100
/** The person's other requests to the cluster come in between. */
const QUESTIONS_AT_ONCE = 2
const QUESTIONS_MS = 20_000

/** The namespaces in which a person may list pods, by name. */
export async function readNamespaces(
  source: NamespacesSource,
  request: PersonRequest,
): Promise<Result<readonly NamespaceEntry[], AccessFailure>> {
  const { findVisible, withPersonAccess, reviews, teams, kubernetes } = source
  const { principal } = request.session
  const cluster = findVisible(principal, request.cluster)
  if (cluster === undefined) return err({ kind: 'cluster_not_found' })
  const listed = await withPersonAccess(request, (access) => listNames(kubernetes, access))
  if (!listed.ok) return listed
  const names = candidates(expectedNames(cluster, teams.of(principal)), listed.value)
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(QUESTIONS_MS)])
  const ask = (name: Label | null, right: Right) =>
    signal.aborted ? TOO_LATE : reviews.ask(request, cluster, name, right)
  const readable = await allowedOf(names, (name) => ask(name, LIST_PODS))
  if (!readable.ok) return readable
  const restartable = await allowedOf(readable.value, (name) => ask(name, RESTART))
  if (!restartable.ok) return restartable
  return ok(
    readable.value.toSorted().map((name) => {
      const owner = namespaceOwner(cluster, name, (team) => teams.isTeam(principal, team))
      const { environment = null, team = null } = owner ?? {}
      return { name, environment, team, canRestart: restartable.value.includes(name) }
    }),
  )
}

/** `null` for a person who may not list namespaces. */
async function listNames(
  kubernetes: Pick<Kubernetes, 'namespaces'>,
  given: PersonAccess,
): Promise<Result<AllPages<string> | null, ClusterFailure>> {
  const access = withReadDeadline(given)
  const listed = await readAllPages((page) => kubernetes.namespaces(access, page))
  return !listed.ok && listed.error.kind === 'cluster_forbidden' ? ok(null) : listed
}

/** By team, then in the order of the registry. */
const expectedNames = ({ environments }: Cluster, teams: readonly TeamName[]): readonly Label[] =>
  teams.flatMap((team) =>
    environments.flatMap(({ namespace }) => namespaceFor(namespace, team) ?? []),
  )

/** The expected namespaces first. Where all are listed, only those that exist. */
function candidates(expected: readonly Label[], listed: AllPages<string> | null): readonly Label[] {
  const found = new Set(listed?.items.flatMap((name) => Label.parse(name) ?? []))
  const isKnown = listed?.isComplete === true
  const existing = expected.filter((name) => !isKnown || found.has(name))
  return [...new Set([...existing, ...found])].slice(0, CANDIDATES_MAX)
}

type Answer = Result<boolean, AccessFailure>

/**
 * Names whose answer is yes, or a failure: a list without the namespaces of a failure would look complete. Who may do it everywhere is
 * asked about nothing else.
 */
async function allowedOf(
  names: readonly Label[],
  ask: (name: Label | null) => Promise<Answer>,
): Promise<Result<readonly Label[], AccessFailure>> {
  const everywhere = names.length > 1 ? await ask(null) : NO
  if (!everywhere.ok) return everywhere
  if (everywhere.value) return ok(names)
  const answers = await allAhead(names, QUESTIONS_AT_ONCE, ask)
  return answers.ok ? ok(names.filter((_, index) => answers.value[index])) : answers
}

const NO: Answer = ok(false)
const TOO_LATE: Promise<Answer> = Promise.resolve(err({ kind: 'cluster_timeout' }))
