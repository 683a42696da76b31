import { withReadDeadline } from '../all-pages.ts'
import type { Kubernetes } from '../../../ports/clusters.ts'
import { err, ok, type Result } from '../../../result.ts'
import type { GrantedAccess } from '../access.ts'
import { type ListFailure, listFailure } from '../listing.ts'
import { RESOURCES } from '../resources.ts'
import { joinWorkloads, objectsOf, type Workload } from './join.ts'

/** A type that the person may not read, or the cluster does not have, is left out. */
export const isAbsent = ({ kind }: { readonly kind: string }): boolean =>
  kind === 'cluster_forbidden' || kind === 'cluster_object_not_found'

/** The failure that speaks for all types: one that another try may mend, else the first refusal if every type is refused. */
export function failureOfAll<Failure extends { readonly kind: string }>(
  types: readonly (Failure | undefined)[],
): Failure | undefined {
  const telling = types.find((each) => each !== undefined && !isAbsent(each))
  return telling ?? (types.includes(undefined) ? undefined : types[0])
}

/** The workloads of a namespace. A person who may read no type at all gets the first refusal. */
export async function readWorkloads(
  kubernetes: Pick<Kubernetes, 'objects'>,
  given: GrantedAccess,
  labelSelector: string | null,
): Promise<Result<readonly Workload[], ListFailure>> {
  const access = withReadDeadline(given)
  const rows = Object.values(RESOURCES)
  const lists = await Promise.all(
    rows.map((row) => row.sourceIn(kubernetes).list(access, labelSelector)),
  )
  const failed = failureOfAll(lists.map((list) => (list.ok ? undefined : list.error)))
  if (failed !== undefined) return err(listFailure(failed, { labelSelector, cursor: null }))
  const types = lists.map((list, at) => ({
    kind: rows[at]?.kind ?? '',
    items: list.ok ? list.value.items : null,
  }))
  return ok(joinWorkloads(objectsOf(types), given.now()))
}
