import { LRUCache } from 'lru-cache'
import { ObjectId } from '../../../names.ts'
import type { GitFailure } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import { complaintOf, gitText, hostError, runGit } from './git.ts'

const FACTS_MAX = 20_000
/** Commits looked at to find the merge; a longer way is answered with the base's tip. */
const WAY_COMMITS_MAX = 20_000

export type MergeOutcome =
  | { readonly kind: 'clean'; readonly tree: ObjectId }
  | { readonly kind: 'conflicting'; readonly paths: readonly string[] }

/** Facts about pairs of commits. They never change, so each is asked of git once. */
export function createHistory() {
  const contained = new LRUCache<string, boolean>({ max: FACTS_MAX })
  const mergeable = new LRUCache<string, MergeOutcome['kind']>({ max: FACTS_MAX })
  const pair = (base: ObjectId, head: ObjectId) => `${base} ${head}`

  return {
    /** Which of these commits the base contains. One process at most. */
    async containedIn(
      directory: string,
      base: ObjectId,
      heads: readonly ObjectId[],
    ): Promise<Result<ReadonlySet<ObjectId>, GitFailure>> {
      const asked = heads.filter((head) => contained.get(pair(base, head)) === undefined)
      const inside = new Set(heads.filter((head) => contained.get(pair(base, head)) === true))
      if (asked.length === 0) return ok(inside)
      const input = new Blob([[`^${base}`, ...asked, ''].join('\n')])
      const text = await gitText(directory, ['rev-list', '--stdin'], { input })
      if (!text.ok) return text
      const outside = new Set(text.value.split('\n'))
      for (const head of asked) {
        contained.set(pair(base, head), !outside.has(head))
        if (!outside.has(head)) inside.add(head)
      }
      return ok(inside)
    },

    knownMergeable: (base: ObjectId, head: ObjectId) => mergeable.get(pair(base, head)),

    /** Merges without a work tree. Of the outcome only the kind is remembered: the tree may be collected. */
    async tryMerge(
      directory: string,
      base: ObjectId,
      head: ObjectId,
    ): Promise<Result<MergeOutcome, GitFailure>> {
      const outcome = await mergeTree(directory, base, head)
      if (outcome.ok) mergeable.set(pair(base, head), outcome.value.kind)
      return outcome
    },
  }
}

export type History = ReturnType<typeof createHistory>

async function mergeTree(
  directory: string,
  base: ObjectId,
  head: ObjectId,
): Promise<Result<MergeOutcome, GitFailure>> {
  const args = ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', base, head]
  const finished = await runGit(directory, args)
  if (!finished.ok) return finished
  const { code, stdout, stderr } = finished.value
  if (stderr.includes('unrelated histories')) return ok({ kind: 'conflicting', paths: [] })
  if (code !== 0 && code !== 1) return err(complaintOf(args, finished.value))
  const [first, ...paths] = new TextDecoder().decode(stdout).split('\0').filter(Boolean)
  if (code === 1) return ok({ kind: 'conflicting', paths })
  const tree = ObjectId.parse(first)
  return tree ? ok({ kind: 'clean', tree }) : err(hostError('git merge-tree gave no tree'))
}

/** The commit by which `head` came into the history of `base`: itself when the base was moved forward to it. */
export async function findMergeCommit(
  directory: string,
  base: ObjectId,
  head: ObjectId,
): Promise<Result<ObjectId, GitFailure>> {
  if (base === head) return ok(head)
  const range = [`--max-count=${WAY_COMMITS_MAX}`, `${head}..${base}`]
  const [main, way] = await Promise.all([
    gitText(directory, ['rev-list', '--first-parent', '--parents', ...range]),
    gitText(directory, ['rev-list', '--ancestry-path', ...range]),
  ])
  if (!main.ok) return main
  if (!way.ok) return way
  const line = main.value.trimEnd().split('\n')
  const [, parent] = line.at(-1)?.split(' ') ?? []
  if (parent === head) return ok(head)
  const after = new Set(way.value.split('\n'))
  const commit = line.map((text) => text.slice(0, 40)).findLast((id) => after.has(id))
  return ok(ObjectId.parse(commit) ?? base)
}
