import type { ReleaseAsset } from '../../ports/git-host.ts'
import { err, ok, type Result } from '../../result.ts'
import { conventionalNames, configuredName } from './asset-names.ts'
import type { Platform } from './platform.ts'

export type ChoiceFailure =
  | {
      readonly kind: 'asset_not_found'
      readonly platform: Platform
      readonly version: string
      /** What the release has instead. */
      readonly filenames: readonly string[]
    }
  | {
      readonly kind: 'asset_ambiguous'
      readonly platform: Platform
      readonly version: string
      /** Those that match. */
      readonly filenames: readonly string[]
    }

interface Offer {
  readonly version: string
  readonly assets: readonly ReleaseAsset[]
}

/**
 * The file of a platform: the one that has the configured name, or else the one that has a conventional name. Never a guess:
 * the first way of naming that fits any file decides, and it must fit one alone. A file of an impossible size is none.
 */
export function chooseAsset(
  { version, assets }: Offer,
  platform: Platform,
  pattern: string,
): Result<ReleaseAsset, ChoiceFailure> {
  const names =
    pattern === '' ? conventionalNames(platform) : [configuredName(pattern, platform, version)]
  // Files of checksums may be among the others: what cannot be read of those is no absence.
  const usable = assets.filter(({ sizeBytes }) => Number.isSafeInteger(sizeBytes) && sizeBytes >= 0)
  const filenamesOf = (some: readonly ReleaseAsset[]) => some.map(({ filename }) => filename)
  for (const isOne of names) {
    const found = usable.filter(({ filename }) => isOne(filename))
    const [asset, ...others] = found
    if (asset === undefined) continue
    if (others.length === 0) return ok(asset)
    return err({ kind: 'asset_ambiguous', platform, version, filenames: filenamesOf(found) })
  }
  return err({ kind: 'asset_not_found', platform, version, filenames: filenamesOf(usable) })
}
