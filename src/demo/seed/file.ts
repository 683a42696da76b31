import { dump } from 'js-yaml'
import { RepositoryPath } from '../../lib/names.ts'

/** A file of a seeded repository. */
export interface SeedFile {
  readonly kind: 'write'
  readonly path: RepositoryPath
  readonly bytes: Uint8Array
  readonly executable?: boolean
}

/** Throws on a path that is not valid, as seed data is part of the source. */
export function file(path: string, text: string): SeedFile {
  const parsed = RepositoryPath.parse(path)
  if (parsed === undefined) throw new Error(`not a path inside a repository: ${path}`)
  return { kind: 'write', path: parsed, bytes: new TextEncoder().encode(text) }
}

export const yaml = (value: unknown): string => dump(value, { lineWidth: 100, noRefs: true })
