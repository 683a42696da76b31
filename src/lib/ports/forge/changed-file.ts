export interface ChangedFile {
  /** Unchecked: a pushed file may have a name that is no `RepositoryPath`. */
  readonly rawPath: string
  readonly change: 'added' | 'modified' | 'deleted'
  /** Lines; `null` for a binary file. */
  readonly additions: number | null
  readonly deletions: number | null
}
