import type { Answer } from '#tests/peers/forge/answer.ts'
import type { Asset, State } from './state.ts'

const LINK_LIFE_MS = 300_000

export interface Storage {
  linkTo(asset: Asset): string
  /** What a link leads to, while it is valid. */
  find(url: URL): Asset | undefined
}

/** Assets on another origin, by links that carry their own permission for five minutes. */
export function createStorage(state: State, origin: () => string): Storage {
  const links = new Map<string, { readonly asset: Asset; readonly until: number }>()
  return {
    linkTo(asset) {
      const token = crypto.randomUUID().replaceAll('-', '')
      links.set(token, { asset, until: state.now() + LINK_LIFE_MS })
      return `${origin()}/releases/${asset.id}?token=${token}`
    },
    find(url) {
      const link = links.get(url.searchParams.get('token') ?? '')
      return link !== undefined && link.until > state.now() ? link.asset : undefined
    },
  }
}

export function serveBytes(bytes: Uint8Array, range: string | undefined): Answer {
  const type = { 'content-type': 'application/octet-stream', 'accept-ranges': 'bytes' }
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(range ?? '') ?? []
  if (first === undefined) return { status: 200, headers: type, body: bytes }
  const from = Number(first)
  if (from >= bytes.length)
    return { status: 416, headers: { 'content-range': `bytes */${bytes.length}` } }
  const to =
    last === undefined || last === '' ? bytes.length - 1 : Math.min(Number(last), bytes.length - 1)
  return {
    status: 206,
    headers: { ...type, 'content-range': `bytes ${from}-${to}/${bytes.length}` },
    body: bytes.subarray(from, to + 1),
  }
}
