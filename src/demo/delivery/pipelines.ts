import { resolve } from 'node:path'
import { gitText } from '../../lib/git/git.ts'
import { readRefs } from '../../lib/git/refs.ts'
import type { RepositoryId } from '../../lib/names.ts'
import type { Clock } from '../../lib/ports/clock.ts'
import type { GitFailure } from '../../lib/ports/git-host.ts'
import { ok, type Result } from '../../lib/result.ts'
import type { Images } from '../clusters/images.ts'

/** Older commits have lost their images. */
const COMMITS_MAX = 200
const TAGS = 'refs/tags/'

export interface PipelinesOptions {
  /** The folder of the repositories. */
  readonly directory: string
  readonly images: Pick<Images, 'push'>
  readonly clock: Clock
  readonly imageOf: (repository: RepositoryId) => string
}

/**
 * Stands in for the pipelines of projects. They build an image of each commit on `main`, tagged with its id, and of each git tag:
 * `v1.2.0` makes `v1.2.0` and `1.2.0`.
 */
export const createPipelines =
  ({ directory, images, imageOf, clock }: PipelinesOptions) =>
  async (repository: RepositoryId): Promise<Result<void, GitFailure>> => {
    // Git runs in another folder than this process.
    const folder = resolve(directory, repository.owner, `${repository.name}.git`)
    const [refs, commits] = await Promise.all([
      readRefs(folder, [TAGS]),
      gitText(folder, ['rev-list', `--max-count=${COMMITS_MAX}`, 'refs/heads/main']),
    ])
    if (!refs.ok) return refs
    if (!commits.ok) return commits
    const tags = [...refs.value.keys()].map((ref) => ref.slice(TAGS.length))
    const ids = commits.value.split('\n').filter((id) => id !== '')
    const image = imageOf(repository)
    for (const tag of [...tags, ...tags.map((name) => name.replace(/^v(?=\d)/, '')), ...ids]) {
      images.push(`${image}:${tag}`, clock.now())
    }
    return ok(undefined)
  }
