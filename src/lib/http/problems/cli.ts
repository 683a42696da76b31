import { platformName } from '../../domain/cli/platform.ts'
import { row, type SomeProblems } from '../problem-table.ts'
import { gitHostError, gitHostTimeout } from './git-host.ts'

const assetCorrupt = {
  status: 502,
  code: 'asset_corrupt',
  title: 'The file of the release does not match its digest',
}

const FILENAMES_MAX = 20
const namesOf = (filenames: readonly string[]) => filenames.slice(0, FILENAMES_MAX).join(', ')

export const cliProblems = {
  release_not_found: row(404, 'There is no such release of the command line client'),
  unsupported_platform: {
    status: 404,
    title: 'The command line client is not made for this platform',
    members: ({ supported }) => ({ supported }),
  },
  asset_not_found: {
    status: 404,
    title: 'The release has no file for this platform',
    members: ({ version, platform, filenames }) => ({
      detail: `no file name of ${version} matches ${platformName(platform)}; it has ${namesOf(filenames) || 'no files'}`,
    }),
  },
  asset_ambiguous: {
    status: 409,
    title: 'The release has more than one file for this platform',
    members: ({ version, platform, filenames }) => ({
      detail: `${version} has several for ${platformName(platform)}: ${namesOf(filenames)}; CLI_ASSET_PATTERN selects one`,
    }),
  },
  asset_cut_off: gitHostError,
  asset_stalled: gitHostTimeout,
  asset_corrupt: assetCorrupt,
  asset_pending: row(503, 'The file is still being fetched; try again'),
  asset_cache_full: row(503, 'The disk has no room for a copy of the release file'),
  asset_cache_broken: row(
    503,
    'Copies of release files cannot be written to the disk now',
    'asset_cache_unavailable',
  ),
  checksums_disagree: assetCorrupt,
} satisfies SomeProblems
