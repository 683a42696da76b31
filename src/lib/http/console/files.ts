/** A file of the console, as it is and compressed. */
export interface ConsoleFile {
  /** Hashed, so that other contents have another name. */
  readonly name: string
  readonly type: string
  readonly raw: Uint8Array<ArrayBuffer>
  readonly brotli: Uint8Array<ArrayBuffer>
  readonly gzip: Uint8Array<ArrayBuffer>
}

export interface ConsoleFiles {
  /** The one document of all pages. */
  readonly document: ConsoleFile
  readonly assets: readonly ConsoleFile[]
}
