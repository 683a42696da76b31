import type { components } from '../../api/schema.gen.ts'

type Autoscaler = components['schemas']['WorkloadAutoscaler']
type Budget = components['schemas']['WorkloadDisruptionBudget']
type Amounts = Readonly<Record<string, string>>

/** `cpu 50m, memory 128Mi to 256Mi`: what a container asks for, and its limit. */
export function resourceWords(requests: Amounts, limits: Amounts): string {
  const names = [...new Set([...Object.keys(requests), ...Object.keys(limits)])].toSorted()
  const words = names.map((name) => {
    const [request, limit] = [requests[name], limits[name]]
    if (request === undefined) return `${name} up to ${limit}`
    return limit === undefined || limit === request
      ? `${name} ${request}`
      : `${name} ${request} to ${limit}`
  })
  return words.length === 0 ? 'no requests, no limits' : words.join(', ')
}

/** `2 to 10 replicas, 3 now and 5 wanted: the reason of the cluster` */
export function scalerWords({
  minReplicas,
  maxReplicas,
  currentReplicas,
  desiredReplicas,
  message,
}: Autoscaler): string {
  const range = `${minReplicas} to ${maxReplicas} replicas`
  const now = currentReplicas === null ? '' : `, ${currentReplicas} now`
  const isMoving = desiredReplicas !== null && desiredReplicas !== currentReplicas
  const wanted = isMoving ? `${now === '' ? ', ' : ' and '}${desiredReplicas} wanted` : ''
  return `${range}${now}${wanted}${message === null ? '' : `: ${message}`}`
}

/** `2 may be down now; at least 50% stay`. */
export function budgetWords({ minAvailable, maxUnavailable, disruptionsAllowed }: Budget): string {
  const bound =
    minAvailable === null
      ? maxUnavailable === null
        ? ''
        : `; at most ${maxUnavailable} at once`
      : `; at least ${minAvailable} stay`
  return `${disruptionsAllowed} may be down now${bound}`
}
