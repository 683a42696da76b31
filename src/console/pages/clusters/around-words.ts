import type { components } from '../../api/schema.gen.ts'
import { parseImage } from '../entity/running-facts.ts'
import { versionOf } from '../entity/stage.ts'

type Detail = components['schemas']['WorkloadDetail']
type Probe = components['schemas']['ContainerProbe']
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

/** `readiness: HTTP GET :8080/healthz every 10 s, 3 failures count` */
export const probeWords = ({ kind, action, periodSeconds, failureThreshold }: Probe): string =>
  `${kind}: ${action} every ${periodSeconds} s, ${failureThreshold} failures count`

/**
 * The difference between the image in git and the one that runs, such as `runs 1.4.0`; null when they agree or cannot be compared.
 * `name`: the repository of the image in git. A workload beside the application runs images of others.
 */
export function imageGap(
  { inGit, images, newestPod, pods }: Pick<Detail, 'inGit' | 'images' | 'newestPod' | 'pods'>,
  name: string | null | undefined,
): string | null {
  const { tag = null, digest = null } = inGit?.image ?? {}
  const isOwn = (image: string | null) => image !== null && parseImage(image).name === name
  const tags = images.filter(isOwn).flatMap((image) => parseImage(image).tag ?? [])
  if (tag !== null && tags.length > 0 && !tags.includes(tag)) return `runs ${tags.join(', ')}`
  const newest = pods?.find((pod) => pod.name === newestPod?.name)
  const digests = (newest?.containers ?? []).flatMap(({ image, init, ephemeral, digest: runs }) =>
    init || ephemeral || runs === null || !isOwn(image) ? [] : runs,
  )
  if (digest === null || digests.length === 0 || digests.includes(digest)) return null
  return `runs ${digests.map((each) => versionOf({ tag: null, digest: each })).join(', ')}`
}

const MILLICORES: Readonly<Record<string, number>> = { n: 1e-6, u: 1e-3, m: 1, '': 1_000 }
const MEBIBYTES: Readonly<Record<string, number>> = { '': 2 ** -20, Ki: 2 ** -10, Mi: 1, Gi: 1_024 }

/** `uses cpu 12m, memory 96Mi`, from quantities of Kubernetes in any unit. */
export function usageWords(usage: Amounts): string {
  const inUnit = (name: string, units: Readonly<Record<string, number>>, unit: string) => {
    const [, number = '', from = ''] = /^(\d+)([a-zA-Z]*)$/.exec(usage[name] ?? '') ?? []
    const factor = units[from]
    return number === '' || factor === undefined
      ? []
      : [`${name} ${Math.round(Number(number) * factor)}${unit}`]
  }
  const words = [...inUnit('cpu', MILLICORES, 'm'), ...inUnit('memory', MEBIBYTES, 'Mi')]
  return words.length === 0 ? '' : `uses ${words.join(', ')}`
}

/** `2 to 10 replicas, 3 now and 5 wanted: the reason of the cluster` */
export function scalerWords(autoscaler: Autoscaler): string {
  const { minReplicas, maxReplicas, currentReplicas, desiredReplicas, message } = autoscaler
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
