import type { ObjectId } from '../../../names.ts'
import type { Author, GitAnswer } from '../../../ports/git-host.ts'
import { gitText } from '../../../git/git.ts'
import { cleanAuthor, cleanMessage } from '../../../git/fast-import.ts'
import { idFrom } from '../../../git/objects.ts'
import { signCommit, type Signing } from '../../../git/signing.ts'
import type { Pull } from './pulls.ts'

interface MergeCommit {
  readonly pull: Pull
  /** Tip of the base branch. */
  readonly base: ObjectId
  /** The outcome of the merge. */
  readonly tree: ObjectId
  readonly by: Author
  /** Milliseconds since the Unix epoch. */
  readonly at: number
  readonly signing: Signing | null
}

/** Writes the merge commit of a pull request and moves no ref. */
export async function commitMerge(
  directory: string,
  { pull: { number, head, record }, base, tree, by, at, signing }: MergeCommit,
): GitAnswer<ObjectId> {
  const message = `Merge pull request #${number} from ${record.head}\n\n${record.title}`
  const { name, email } = cleanAuthor(by)
  const date = `@${Math.floor(at / 1000)} +0000`
  const args = ['commit-tree', '-p', base, '-p', head, '-F', '-', tree]
  const made = idFrom(
    await gitText(directory, args, {
      input: new Blob([cleanMessage(message)]),
      env: {
        GIT_AUTHOR_NAME: name,
        GIT_AUTHOR_EMAIL: email,
        GIT_AUTHOR_DATE: date,
        GIT_COMMITTER_NAME: name,
        GIT_COMMITTER_EMAIL: email,
        GIT_COMMITTER_DATE: date,
      },
    }),
  )
  return made.ok ? signCommit(directory, made.value, signing) : made
}
