import type { RepositoryId } from '../../../../names.ts'
import type { GitFailure, ReleaseAsset } from '../../../../ports/git-host.ts'
import type { Result } from '../../../../result.ts'
import { CREDENTIALS_REFUSED, openAssetOverHttp } from '../../hosted/api/asset.ts'
import { apiPath } from '../../hosted/api/client.ts'
import type { Credentials } from '../../hosted/api/credentials.ts'
import { notFound, pathOf } from '../../hosted/known-repositories.ts'
import type { GitHub } from '../github.ts'

const ASSET_ID = /^[1-9]\d{0,15}$/

export interface AssetOptions {
  readonly root: string
  /** PEM of the certificate authorities in place of the system's. */
  readonly authority: string | null
  readonly headers: Readonly<Record<string, string>>
  readonly credentials: Credentials
}

/** Opens the bytes of an asset at a path of the API. */
export type OpenAsset = (
  path: string,
  signal: AbortSignal,
) => Promise<Result<ReadableStream<Uint8Array>, GitFailure>>

/** "Get a release asset" as `application/octet-stream`: the bytes, or a redirect to storage, which gets no credentials. */
export const assetOpener =
  ({ root, authority, headers, credentials }: AssetOptions): OpenAsset =>
  async (path, signal) => {
    const url = new URL(`${root}${path}`)
    for (let isRenewed = false; ; isRenewed = true) {
      const authorization = await credentials.current(signal)
      if (!authorization.ok) return authorization
      const request = {
        url,
        headers: {
          ...headers,
          accept: 'application/octet-stream',
          authorization: authorization.value,
        },
        authority,
      }
      const opened = await openAssetOverHttp(request, signal)
      const isRefused = !opened.ok && opened.error === CREDENTIALS_REFUSED
      if (!isRefused || isRenewed || !credentials.refused(authorization.value)) return opened
    }
  }

export async function openAsset(
  { known }: GitHub,
  open: OpenAsset,
  repository: RepositoryId,
  { id }: ReleaseAsset,
  signal: AbortSignal,
): Promise<Result<ReadableStream<Uint8Array>, GitFailure>> {
  const complete = await known.requireComplete(repository)
  if (!complete.ok) return complete
  if (!ASSET_ID.test(id)) return notFound('asset')
  return open(`${pathOf(repository)}${apiPath`/releases/assets/${id}`}`, signal)
}
