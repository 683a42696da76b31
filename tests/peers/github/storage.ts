import type { Answer } from '#tests/peers/forge/answer.ts'
import { fullName, type Asset, type Repository, type State } from './state.ts'

const LINK_LIFE_MS = 300_000

type Stored =
  | { readonly kind: 'archive'; readonly repository: Repository; readonly commit: string }
  | { readonly kind: 'asset'; readonly asset: Asset }

export interface Storage {
  linkTo(stored: Stored): string
  /** What a link leads to, while it is valid. */
  find(url: URL): Stored | undefined
}

/** Archives and assets on another origin, by links that carry their own permission for five minutes. */
export function createStorage(state: State, origin: () => string): Storage {
  const links = new Map<string, { readonly stored: Stored; readonly until: number }>()
  return {
    linkTo(stored) {
      const token = crypto.randomUUID().replaceAll('-', '')
      links.set(token, { stored, until: state.now() + LINK_LIFE_MS })
      const path =
        stored.kind === 'archive'
          ? `${fullName(stored.repository)}/legacy.tar.gz/${stored.commit}`
          : `releases/${stored.asset.id}`
      return `${origin()}/${path}?token=${token}`
    },
    find(url) {
      const link = links.get(url.searchParams.get('token') ?? '')
      return link !== undefined && link.until > state.now() ? link.stored : undefined
    },
  }
}

/** Archives by commit and name: they are the same every time. */
const archives = new Map<string, Promise<Uint8Array>>()

export async function serveStored(stored: Stored, range: string | undefined): Promise<Answer> {
  if (stored.kind === 'asset') return serveBytes(stored.asset.bytes, range)
  const { repository, commit } = stored
  const prefix = `${fullName(repository).replace('/', '-')}-${commit.slice(0, 7)}`
  const key = `${prefix} ${commit}`
  const archive =
    archives.get(key) ??
    repository.git.git(['archive', '--format=tar.gz', `--prefix=${prefix}/`, commit])
  archives.set(key, archive)
  return {
    status: 200,
    headers: {
      'content-type': 'application/x-gzip',
      'content-disposition': `attachment; filename=${prefix}.tar.gz`,
    },
    body: await archive,
  }
}

function serveBytes(bytes: Uint8Array, range: string | undefined): Answer {
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
