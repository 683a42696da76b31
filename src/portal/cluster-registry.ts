import { readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { parseRegistry, type RegistryMistake } from '../lib/domain/clusters/registry.ts'
import type { Log } from '../lib/logging/log.ts'
import type { Clock } from '../lib/ports/clock.ts'
import type { Cluster } from '../lib/ports/clusters.ts'
import { err, ok, type Result } from '../lib/result.ts'

export interface ClusterRegistry {
  readonly clusters: () => readonly Cluster[]
  close(): void
}

export interface ClusterRegistryOptions {
  readonly path: string
  readonly clock: Clock
  readonly log: Pick<Log['events'], 'info' | 'error'>
  readonly pollEveryMs?: number
}

/** Polled: a mounted ConfigMap changes through a symbolic link further up, which file watching does not notice. */
const POLL_EVERY_MS = 10_000

/**
 * The clusters of `CLUSTERS_FILE`. Polls the file and the CA files that it names. A changed file replaces all clusters; one with a
 * mistake is reported and the clusters stay.
 * @returns every mistake, one per line, if the file cannot be used at the start
 */
export function openClusterRegistry({
  path,
  clock,
  log,
  pollEveryMs = POLL_EVERY_MS,
}: ClusterRegistryOptions): Result<ClusterRegistry, readonly string[]> {
  const read = () => readRegistry(path, clock)
  const first = read()
  if (!first.clusters.ok) return err(first.clusters.error)
  let clusters = first.clusters.value
  let { seen } = first
  let reported = ''

  const timer = setInterval(() => {
    const isUnchanged = [...seen].every(([file, text]) => sameText(readText(file), text))
    // A mistake can end without a change: a certificate becomes valid.
    if (isUnchanged && reported === '') return
    const found = read()
    seen = found.seen
    if (found.clusters.ok) {
      clusters = keepingEqual(clusters, found.clusters.value)
      reported = ''
      log.info({ clusters: clusters.map(({ id }) => id) }, 'cluster registry changed')
    } else if (reported !== found.clusters.error.join()) {
      reported = found.clusters.error.join()
      log.error({ mistakes: found.clusters.error }, 'cluster registry is broken, the old one stays')
    }
  }, pollEveryMs)
  timer.unref()

  return ok({ clusters: () => clusters, close: () => clearInterval(timer) })
}

/** Health and open streams are keyed by the cluster object, so that an unchanged cluster has to stay the same object. */
const keepingEqual = (before: readonly Cluster[], now: readonly Cluster[]): readonly Cluster[] =>
  now.map((cluster) => before.find((old) => isDeepStrictEqual(old, cluster)) ?? cluster)

type FileText = Result<string, string>

interface Reading {
  readonly clusters: Result<readonly Cluster[], readonly string[]>
  /** Every file that was read. The registry changes only with one of them. */
  readonly seen: ReadonlyMap<string, FileText>
}

function readRegistry(path: string, clock: Clock): Reading {
  const seen = new Map<string, FileText>()
  const readFile = (file: string): FileText => {
    // Read once, so that all clusters of one reading share the text that `seen` compares.
    const text = seen.get(file) ?? readText(file)
    seen.set(file, text)
    return text
  }
  const text = readFile(path)
  if (!text.ok) return { clusters: err([`${path} cannot be read (${text.error})`]), seen }
  const parsed = parseRegistry(text.value, readFile, clock.now())
  const clusters = parsed.ok ? parsed : err(parsed.error.map((mistake) => describe(path, mistake)))
  return { clusters, seen }
}

const sameText = (one: FileText, other: FileText): boolean =>
  one.ok ? other.ok && one.value === other.value : !other.ok && one.error === other.error

function readText(path: string): FileText {
  try {
    return ok(readFileSync(path, 'utf8'))
  } catch (error) {
    return err(error instanceof Error && 'code' in error ? String(error.code) : 'unreadable')
  }
}

const describe = (path: string, { line, column, message }: RegistryMistake): string =>
  line === null ? `${path}: ${message}` : `${path}:${line}:${column ?? 1}: ${message}`
