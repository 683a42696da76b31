/** The means that every git host is opened with, besides its own settings. */
export interface GitHostMeans {
  /** Folder of this instance, which need not exist. */
  readonly dataDirectory: string
  /** Origin of the portal, for links to repositories that the portal serves itself. */
  readonly publicOrigin: string
}
