import { parseRegistry, type RegistryMeans } from '#src/lib/domain/clusters/registry.ts'
import { EnvironmentName } from '#src/lib/names.ts'
import { err, ok } from '#src/lib/result.ts'
import type { ReadFile } from '#src/lib/yaml/strict-file.ts'
import { ONE, TWO } from './authorities.ts'
import { valueOf } from '#tests/support/value-of.ts'

const NOW_MS = Date.parse('2026-12-01T00:00:00Z')

/** The members of a cluster, as YAML; `null` leaves one out. */
export type Members = Readonly<Record<string, string | null>>

const ENTRY: Members = {
  id: 'east',
  name: 'East',
  apiServer: 'https://east.example:6443',
  systemRoots: 'true',
  groups: '[payments]',
}

/** A file of clusters that differ like this from a good one. The first begins at line 3. */
export const fileOf = (...changes: readonly Members[]): string =>
  `apiVersion: portal/v1\nclusters:\n${changes.map((change) => entryOf({ ...ENTRY, ...change })).join('')}`

const entryOf = (members: Members): string =>
  Object.entries(members)
    .filter(([, value]) => value !== null)
    .map(([key, value], index) => `${index === 0 ? '  - ' : '    '}${key}: ${value}\n`)
    .join('')

const FILES: Readonly<Record<string, string>> = { 'one.pem': ONE, 'two.pem': TWO, 'junk.pem': 'x' }

export const readFile: ReadFile = (path) => {
  const text = FILES[path]
  return text === undefined ? err('no such file') : ok(text)
}

export const MEANS: RegistryMeans = {
  readFile,
  nowMs: NOW_MS,
  environments: ['dev', 'staging', 'production'].map((name) => EnvironmentName.of(name)),
}

export const clustersOf = (text: string, read: ReadFile = readFile) => {
  return valueOf(parseRegistry(text, { ...MEANS, readFile: read }))
}

/** `line:column message`, of all. */
export const mistakesOf = (
  text: string,
  read: ReadFile = readFile,
  nowMs = NOW_MS,
): readonly string[] => {
  const reading = parseRegistry(text, { ...MEANS, readFile: read, nowMs })
  if (reading.ok) throw new Error('expected a mistake')
  return reading.error.map(({ line, column, message }) => `${line}:${column} ${message}`)
}
