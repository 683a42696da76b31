import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { ObjectId, type RepositoryId } from '../../../../names.ts'
import type { GitFailure } from '../../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../../result.ts'
import { named } from '../../../../schema/named.ts'
import { apiPath, hostError, type HostClient } from '../../hosted/api/client.ts'
import { type KnownRepositories, pathOf } from '../../hosted/known-repositories.ts'

/** Gitea's own bound, `DEFAULT_GIT_TREES_PER_PAGE`. A server may give fewer. */
const ENTRIES_PER_PAGE = 1_000
/** A hundred thousand entries by Gitea's defaults. */
const PAGES_MAX = 100

const TreePage = Compile(
  Type.Object({
    tree: Type.Union([
      Type.Null(),
      Type.Array(
        Type.Object({
          path: Type.String(),
          mode: Type.String(),
          sha: named(ObjectId),
          size: Type.Optional(Type.Integer()),
        }),
      ),
    ]),
    truncated: Type.Optional(Type.Boolean()),
    total_count: Type.Optional(Type.Integer({ minimum: 0 })),
  }),
)

/** An entry of a listing. `path` is below the listed directory; the mode has six octal digits. */
export interface ListedEntry {
  readonly path: string
  readonly mode: string
  readonly id: ObjectId
  readonly sizeBytes: number | null
}

export interface TreePart {
  readonly entries: readonly ListedEntry[]
  readonly isWhole: boolean
  /** Number of all entries, as the host says it. */
  readonly total: number
}

export interface TreeToList {
  /** A tree or a commit. */
  readonly id: ObjectId
  readonly recursive: boolean
}

export type ListTree = (
  repository: RepositoryId,
  tree: TreeToList,
  /** Gives up after the first page when the listing has more pages. By default it is read to its end. */
  pagesMax?: number,
) => Promise<Result<TreePart, GitFailure>>

/**
 * Entries of a tree. An answer with fewer entries than announced is a failure. The `sha` of the answer is not used: for a
 * commit it is the commit's.
 */
export const createListTree =
  (client: Pick<HostClient, 'read'>, known: Pick<KnownRepositories, 'missing'>): ListTree =>
  async (repository, { id, recursive }, pagesMax = PAGES_MAX) => {
    const entries: ListedEntry[] = []
    for (let page = 1; page <= PAGES_MAX; page += 1) {
      const answer = await client.read(`${pathOf(repository)}${apiPath`/git/trees/${id}`}`, {
        query: {
          per_page: ENTRIES_PER_PAGE,
          page,
          ...(recursive && { recursive: 'true' }),
        },
      })
      if (!answer.ok) return answer
      const { status, json } = answer.value
      if (status !== 200) return err(await known.missing(repository, answer.value, 'commit'))
      if (!TreePage.Check(json)) return hostError('a tree has unexpected members')
      const items = json.tree ?? []
      for (const { path, mode, sha, size } of items) {
        entries.push({ path, mode, id: sha, sizeBytes: size ?? null })
      }
      const total = json.total_count ?? entries.length
      if (json.truncated !== true) {
        return entries.length < total
          ? hostError('a listing is shorter than announced')
          : ok({ entries, isWhole: true, total })
      }
      if (items.length === 0) return hostError('a page of a listing is empty')
      if (total > items.length * pagesMax) return ok({ entries, isWhole: false, total })
    }
    return hostError(`a listing has more than ${PAGES_MAX} pages`)
  }
