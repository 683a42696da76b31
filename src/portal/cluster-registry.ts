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
  readonly lookEveryMs?: number
}

/** A mounted ConfigMap changes by a symbolic link further up, which file watching does not tell of; looking does. */
const LOOK_EVERY_MS = 10_000

/**
 * The clusters of `CLUSTERS_FILE`. The file and the CA files that it names are looked at again and again; what has become of
 * them counts as a whole or, when there is a mistake in it, not at all: then the clusters stay as they were.
 * @returns every mistake, one per line, when the file cannot be used to begin with
 */
export function openClusterRegistry({
  path,
  clock,
  log,
  lookEveryMs = LOOK_EVERY_MS,
}: ClusterRegistryOptions): Result<ClusterRegistry, readonly string[]> {
  const read = () => readRegistry(path, clock)
  const first = read()
  if (!first.clusters.ok) return err(first.clusters.error)
  let clusters = first.clusters.value
  let { seen } = first
  let told = ''

  const timer = setInterval(() => {
    const isSame = [...seen].every(([file, text]) => sameText(readText(file), text))
    // What is broken may become good by itself: a certificate that is not valid yet.
    if (isSame && told === '') return
    const found = read()
    seen = found.seen
    if (found.clusters.ok) {
      clusters = keepingEqual(clusters, found.clusters.value)
      told = ''
      log.info({ clusters: clusters.map(({ id }) => id) }, 'cluster registry changed')
    } else if (told !== found.clusters.error.join()) {
      told = found.clusters.error.join()
      log.error({ mistakes: found.clusters.error }, 'cluster registry is broken, the old one stays')
    }
  }, lookEveryMs)
  timer.unref()

  return ok({ clusters: () => clusters, close: () => clearInterval(timer) })
}

/** What is known of a cluster is known by its identity: one that did not change stays the same. */
const keepingEqual = (before: readonly Cluster[], now: readonly Cluster[]): readonly Cluster[] =>
  now.map((cluster) => before.find((old) => isDeepStrictEqual(old, cluster)) ?? cluster)

type Text = Result<string, string>

interface Reading {
  readonly clusters: Result<readonly Cluster[], readonly string[]>
  /** Every file that was read: while none of them changes, the registry is the same. */
  readonly seen: ReadonlyMap<string, Text>
}

function readRegistry(path: string, clock: Clock): Reading {
  const seen = new Map<string, Text>()
  const readFile = (file: string): Text => {
    const text = readText(file)
    seen.set(file, text)
    return text
  }
  const text = readFile(path)
  if (!text.ok) return { clusters: err([`${path} cannot be read (${text.error})`]), seen }
  const parsed = parseRegistry(text.value, readFile, clock.now())
  const clusters = parsed.ok ? parsed : err(parsed.error.map((mistake) => describe(path, mistake)))
  return { clusters, seen }
}

const sameText = (one: Text, other: Text): boolean =>
  one.ok ? other.ok && one.value === other.value : !other.ok && one.error === other.error

function readText(path: string): Text {
  try {
    return ok(readFileSync(path, 'utf8'))
  } catch (error) {
    return err(error instanceof Error && 'code' in error ? String(error.code) : 'unreadable')
  }
}

const describe = (path: string, { line, column, message }: RegistryMistake): string =>
  line === null ? `${path}: ${message}` : `${path}:${line}:${column ?? 1}: ${message}`
