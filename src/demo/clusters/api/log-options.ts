import { ok } from '../../../lib/result.ts'
import type { Pod } from '../objects.ts'
import { isTrue } from './attributes.ts'
import { invalid } from './object-refusal.ts'
import { badRequest, type Outcome } from './refusal.ts'

export interface LogOptions {
  readonly container: string
  readonly follow: boolean
  readonly previous: boolean
  readonly timestamps: boolean
  readonly tailLines: number | undefined
  readonly limitBytes: number | undefined
  /** Only lines after this time, in milliseconds since the Unix epoch. */
  readonly since: number | undefined
}

export function parseLogOptions(
  pod: Pod,
  query: URLSearchParams,
  now: number,
): Outcome<LogOptions> {
  const container = containerOf(pod, query.get('container') ?? '')
  if (!container.ok) return container
  const tailLines = readCount(pod, query, 'tailLines', 0)
  if (!tailLines.ok) return tailLines
  const limitBytes = readCount(pod, query, 'limitBytes', 1)
  if (!limitBytes.ok) return limitBytes
  const since = readSince(pod, query, now)
  if (!since.ok) return since
  return ok({
    container: container.value,
    follow: isTrue(query.get('follow')),
    previous: isTrue(query.get('previous')),
    timestamps: isTrue(query.get('timestamps')),
    tailLines: tailLines.value,
    limitBytes: limitBytes.value,
    since: since.value,
  })
}

function containerOf({ metadata: { name }, spec }: Pod, requested: string): Outcome<string> {
  const mains = spec.containers.map((container) => container.name)
  const inits = (spec.initContainers ?? []).map((container) => container.name)
  if (requested !== '') {
    const isThere = [...mains, ...inits].includes(requested)
    return isThere
      ? ok(requested)
      : badRequest(`container ${requested} is not valid for pod ${name}`)
  }
  const [only, ...others] = mains
  if (only !== undefined && others.length === 0) return ok(only)
  const choice = `a container name must be specified for pod ${name}, choose one of: [${mains.join(' ')}]`
  return badRequest(
    inits.length === 0 ? choice : `${choice} or one of the init containers: [${inits.join(' ')}]`,
  )
}

function readCount(
  pod: Pod,
  query: URLSearchParams,
  name: string,
  minimum: number,
): Outcome<number | undefined> {
  const text = query.get(name) ?? ''
  if (text === '') return ok(undefined)
  if (!/^-?\d{1,12}$/.test(text))
    return badRequest(`strconv.ParseInt: parsing "${text}": invalid syntax`)
  const count = Number(text)
  if (count >= minimum) return ok(count)
  return invalid({ kind: 'PodLogOptions', group: '' }, pod.metadata.name, [
    {
      reason: 'FieldValueInvalid',
      field: name,
      message: `Invalid value: ${count}: must be greater than ${minimum === 0 ? 'or equal to 0' : '0'}`,
    },
  ])
}

function readSince(pod: Pod, query: URLSearchParams, now: number): Outcome<number | undefined> {
  const seconds = readCount(pod, query, 'sinceSeconds', 1)
  if (!seconds.ok) return seconds
  if (seconds.value !== undefined) return ok(now - seconds.value * 1_000)
  const time = query.get('sinceTime')
  if (time === null) return ok(undefined)
  const since = Date.parse(time)
  return Number.isNaN(since) ? badRequest(`parsing time "${time}": not RFC 3339`) : ok(since)
}
