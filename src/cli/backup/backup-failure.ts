/** An expected failure of a backup or a restore, as a sentence for the operator. Without a `code`, so that no database takes it for its own. */
export class BackupFailure extends Error {
  override readonly name = 'BackupFailure'
}
