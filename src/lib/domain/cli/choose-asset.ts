import type { ReleaseAsset } from '../../ports/git-host.ts'
import { err, ok, type Result } from '../../result.ts'
import { conventionalNames, configuredName } from './asset-names.ts'
import type { Platform } from './platform.ts'

export type ChoiceFailure =
  | {
      readonly kind: 'asset_not_found'
      readonly platform: Platform
      readonly version: string
      /** All files of the release. */
      readonly filenames: readonly string[]
    }
  | {
      readonly kind: 'asset_ambiguous'
      readonly platform: Platform
      readonly version: string
      /** The files that match. */
      readonly filenames: readonly string[]
    }

interface ReleaseFiles {
  readonly version: string
  readonly assets: readonly ReleaseAsset[]
}

/**
 * The file of a platform, by the configured name or else by convention. Never a guess: the first name pattern that matches
 * any file decides, and must match exactly one. Files of impossible size do not count.
 */
export function chooseAsset(
  { version, assets }: ReleaseFiles,
  platform: Platform,
  pattern: string,
): Result<ReleaseAsset, ChoiceFailure> {
  const names =
    pattern === '' ? conventionalNames(platform) : [configuredName(pattern, platform, version)]
  const usable = assets.filter(({ sizeBytes }) => Number.isSafeInteger(sizeBytes) && sizeBytes >= 0)
  const filenamesOf = (files: readonly ReleaseAsset[]) => files.map(({ filename }) => filename)
  for (const isMatch of names) {
    const matching = usable.filter(({ filename }) => isMatch(filename))
    const [asset, ...others] = matching
    if (asset === undefined) continue
    if (others.length === 0) return ok(asset)
    return err({ kind: 'asset_ambiguous', platform, version, filenames: filenamesOf(matching) })
  }
  return err({ kind: 'asset_not_found', platform, version, filenames: filenamesOf(usable) })
}
