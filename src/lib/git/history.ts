import { createLru } from '../concurrency/lru.ts'
import { ObjectId } from '../names.ts'
import type { GitAnswer, MergeOutcome, MergeSides } from '../ports/git-host.ts'
import { allOk, err, ok } from '../result.ts'
import { complaintOf, gitText, hostError, runGit } from './git.ts'
import { missingCommitOr } from './log.ts'

const PAIRS_MAX = 20_000
/** With more commits since the merge, the tip of the base stands for the merge commit. */
const SEARCHED_COMMITS_MAX = 20_000

/** Relations between two commits. They never change, so that git is asked once for each. */
export function createHistory() {
  const contained = createLru<string, boolean>(PAIRS_MAX)
  const mergeable = createLru<string, MergeOutcome['kind']>(PAIRS_MAX)
  const pair = (base: ObjectId, head: ObjectId) => `${base} ${head}`

  return {
    /** Those of these commits that the base contains, none without a base. One process at most. */
    async containedIn(
      directory: string,
      base: ObjectId | undefined,
      heads: readonly ObjectId[],
    ): GitAnswer<ReadonlySet<ObjectId>> {
      if (base === undefined) return ok(new Set())
      const unknown = heads.filter((head) => contained.get(pair(base, head)) === undefined)
      const inside = new Set(heads.filter((head) => contained.get(pair(base, head)) === true))
      if (unknown.length === 0) return ok(inside)
      const input = new Blob([[`^${base}`, ...unknown, ''].join('\n')])
      const text = await gitText(directory, ['rev-list', '--stdin'], { input })
      if (!text.ok) return text
      const outside = new Set(text.value.split('\n'))
      for (const head of unknown) {
        contained.set(pair(base, head), !outside.has(head))
        if (!outside.has(head)) inside.add(head)
      }
      return ok(inside)
    },

    knownMergeable: (base: ObjectId, head: ObjectId) => mergeable.get(pair(base, head)),

    /** Merges without a work tree. Only the kind of the outcome is remembered: git may collect the tree. */
    async tryMerge(directory: string, base: ObjectId, head: ObjectId): GitAnswer<MergeOutcome> {
      const outcome = await merge(directory, { ours: base, theirs: head })
      if (outcome.ok) mergeable.set(pair(base, head), outcome.value.kind)
      return outcome
    },
  }
}

export type History = ReturnType<typeof createHistory>

export async function merge(
  directory: string,
  { ours, theirs }: MergeSides,
): GitAnswer<MergeOutcome> {
  const args = ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', ours, theirs]
  const output = await runGit(directory, args)
  if (!output.ok) return output
  const { code, stdout, stderr } = output.value
  if (stderr.includes('unrelated histories')) return ok({ kind: 'conflicting', paths: [] })
  // Git 2.39 ends with 1 without a commit, too.
  if (stdout.length === 0 || (code !== 0 && code !== 1)) {
    return missingCommitOr(err(complaintOf(args, output.value)), directory, [ours, theirs])
  }
  const [first, ...paths] = stdout.toString().split('\0').filter(Boolean)
  if (code === 1) return ok({ kind: 'conflicting', paths })
  const tree = ObjectId.parse(first)
  return tree ? ok({ kind: 'clean', tree }) : err(hostError('git merge-tree gave no tree'))
}

/** The commit that brought `head` into the history of `base`: `head` itself after a fast-forward. */
export async function findMergeCommit(
  directory: string,
  base: ObjectId,
  head: ObjectId,
): GitAnswer<ObjectId> {
  if (base === head) return ok(head)
  const range = [`--max-count=${SEARCHED_COMMITS_MAX}`, `${head}..${base}`]
  const read = await allOk([
    gitText(directory, ['rev-list', '--first-parent', '--parents', ...range]),
    gitText(directory, ['rev-list', '--ancestry-path', ...range]),
  ])
  if (!read.ok) return read
  const [firstParents, descendants] = read.value
  const lines = firstParents.trimEnd().split('\n')
  const [, parent] = lines.at(-1)?.split(' ') ?? []
  if (parent === head) return ok(head)
  const after = new Set(descendants.split('\n'))
  const commit = lines.map((line) => line.slice(0, 40)).findLast((id) => after.has(id))
  return ok(ObjectId.parse(commit) ?? base)
}
