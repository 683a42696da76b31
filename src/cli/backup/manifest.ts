import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import { isKnownSchema, type SchemaState } from '../../lib/adapters/database/schema.ts'
import { parseJson } from '../../lib/text/json.ts'

/** An expected failure of a backup or a restore, as a sentence for the operator. Without a `code`, so that no database takes it for its own. */
export class BackupFailure extends Error {
  override readonly name = 'BackupFailure'
}

export const MANIFEST = 'manifest.json'

const Manifest = Type.Object({
  format: Type.Literal(1),
  /** Version of Portico that made the backup. */
  portico: Type.String({ pattern: '^[0-9A-Za-z.+-]{1,64}$' }),
  createdAt: Type.String({ pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$` }),
  schema: Type.Object({
    version: Type.Integer({ minimum: 1 }),
    additions: Type.Array(Type.String()),
  }),
  /** Ids of the keys that seal rows. The keys themselves are in no backup. */
  keyIds: Type.Array(Type.String()),
})
/** The first member of a backup. */
export type Manifest = Omit<Static<typeof Manifest>, 'schema'> & { readonly schema: SchemaState }

/** The manifest of a backup that this version can restore. */
export function readManifest(bytes: Uint8Array): Manifest {
  const manifest = parseJson(new TextDecoder().decode(bytes))
  if (!Value.Check(Manifest, manifest)) {
    throw new BackupFailure('it has no manifest that this version of Portico reads')
  }
  if (!isKnownSchema(manifest.schema)) {
    throw new BackupFailure(
      `it is of a newer version (${manifest.portico}): restore it with that version, or with a later one`,
    )
  }
  return manifest
}
