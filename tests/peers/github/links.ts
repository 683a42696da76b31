/** Where this GitHub is, without a slash at the end. */
export interface Links {
  /** Root of the API. */
  readonly api: string
  /** Pages for browsers, and `git clone`. */
  readonly web: string
  /** Another origin, for assets. */
  readonly storage: string
}

export const pathOf = (text: string) => text.split('/').map(encodeURIComponent).join('/')

/** Opaque ids of GraphQL. */
export const nodeId = (kind: string, id: number | string) =>
  `${kind}_${Buffer.from(String(id)).toString('base64url')}`

/** GitHub's times have seconds. */
export const timeOf = (ms: number) => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')
