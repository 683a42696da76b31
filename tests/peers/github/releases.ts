import type { Account, Release, Repository, State } from './state.ts'

export interface NewRelease {
  readonly tag: string
  readonly draft: boolean
  readonly prerelease: boolean
  readonly assets: readonly { readonly filename: string; readonly bytes: Uint8Array }[]
}

/** Publishes, or drafts, as a person does in the browser. `hasDigests`: assets from before 2025 have none. */
export function publishRelease(
  state: State,
  repository: Repository,
  author: Account,
  { tag, draft, prerelease, assets }: NewRelease,
  hasDigests = true,
): Release {
  const release: Release = {
    id: state.nextId(),
    tag,
    name: tag,
    notes: '',
    draft,
    prerelease,
    author,
    createdAt: state.now(),
    publishedAt: draft ? null : state.now(),
    assets: assets.map(({ filename, bytes }) => {
      const sha256 = new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
      const digest = hasDigests ? `sha256:${sha256}` : null
      return { id: state.nextId(), name: filename, bytes: Uint8Array.from(bytes), digest }
    }),
  }
  repository.releases.push(release)
  return release
}
