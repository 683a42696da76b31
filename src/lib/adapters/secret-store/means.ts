/** The means that every secret store is opened with, besides its own settings. */
export interface SecretStoreMeans {
  /** Folder of this instance, which need not exist. */
  readonly dataDirectory: string
}
