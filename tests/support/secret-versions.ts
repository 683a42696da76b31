import { Database } from 'bun:sqlite'
import { join } from 'node:path'

/** `path version` of each sealed version in the database of a process. */
export function secretVersionsIn(directory: string): readonly string[] {
  using database = new Database(join(directory, 'portico.sqlite'))
  return database
    .query<{ path: string; version: number }, []>('SELECT path, version FROM secret_version')
    .all()
    .map(({ path, version }) => `${path} ${version}`)
}
