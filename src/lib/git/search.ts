import { type ObjectId, RepositoryPath } from '../names.ts'
import type { FoundLine, GitAnswer, TextSearch } from '../ports/git-host.ts'
import { ok } from '../result.ts'
import { complaintOf, runGit } from './git.ts'
import { missingCommitOr } from './log.ts'

const DEADLINE_MS = 5_000
const OUTPUT_BYTES_MAX = 4 * 1024 * 1024
const NOTHING_FOUND = 1

/** The first line of each file that has a text, as `git grep` finds it. */
export async function searchFiles(
  directory: string,
  { commit, paths, text }: TextSearch,
): GitAnswer<readonly FoundLine[]> {
  // Without paths git would search everything.
  if (paths.length === 0) return ok([])
  const options = ['-I', '-i', '-n', '-z', '--basic-regexp', '--max-count=1', '--threads=1']
  const args = ['grep', ...options, '-e', patternOf(text), commit, '--', ...paths]
  const output = await runGit(directory, args, {
    deadlineMs: DEADLINE_MS,
    outputBytesMax: OUTPUT_BYTES_MAX,
  })
  if (!output.ok) return output
  const { code, stdout, isTruncated } = output.value
  if (code > NOTHING_FOUND && !isTruncated) {
    return missingCommitOr({ ok: false, error: complaintOf(args, output.value) }, directory, [
      commit,
    ])
  }
  return ok([...linesOf(stdout, commit)])
}

/** Git quotes a fixed string as `\Q…\E` of Perl: a `\E` in the text would end it, and the rest be a regular expression. */
const patternOf = (text: string): string => text.replaceAll(/[\\.[*^$]/g, String.raw`\$&`)

/** `<commit>:<path>\0<number>\0<line>\n` for each; a last one that is cut off is left out. */
function* linesOf(bytes: Buffer, commit: ObjectId): Generator<FoundLine, void, void> {
  for (let start = 0, end = 0; start < bytes.length; start = end + 1) {
    end = bytes.indexOf('\n', start)
    if (end === -1) return
    const [place = '', number, ...line] = bytes.toString('utf8', start, end).split('\0')
    const path = RepositoryPath.parse(place.slice(commit.length + 1))
    if (path !== undefined) yield { path, line: Number(number), text: line.join('\0') }
  }
}
