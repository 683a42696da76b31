import type { ChangedFile } from '../../../ports/forge/changed-file.ts'
import type { ObjectId } from '../../../names.ts'
import type { GitAnswer } from '../../../ports/git-host.ts'
import { err, ok } from '../../../result.ts'
import { complaintOf, EMPTY_TREE, gitText, hostError, runGit } from '../../../git/git.ts'

const DIFF_BYTES_MAX = 1024 * 1024
const PLAIN = ['--no-color', '--no-ext-diff', '--no-textconv', '--no-renames']

/** The range of what is changed since `head` left the history of `base`: a history of its own is everything. */
export async function diffRange(
  directory: string,
  base: ObjectId | null,
  head: ObjectId,
): GitAnswer<string> {
  const everything = `${EMPTY_TREE}..${head}`
  if (base === null) return ok(everything)
  const args = ['merge-base', base, head]
  const output = await runGit(directory, args)
  if (!output.ok) return output
  const { code, stdout } = output.value
  if (code === 1) return ok(everything)
  return code === 0
    ? ok(`${stdout.toString().trimEnd()}..${head}`)
    : err(complaintOf(args, output.value))
}

export async function readDiff(
  directory: string,
  range: string,
): GitAnswer<{ readonly text: string; readonly truncated: boolean }> {
  const args = ['diff', ...PLAIN, range, '--']
  const output = await runGit(directory, args, { outputBytesMax: DIFF_BYTES_MAX })
  if (!output.ok) return output
  const { code, stdout, isTruncated } = output.value
  if (!isTruncated && code !== 0) return err(complaintOf(args, output.value))
  const end = isTruncated ? stdout.lastIndexOf('\n') + 1 : stdout.length
  return ok({ text: stdout.toString('utf8', 0, end), truncated: isTruncated })
}

const changeOf = { A: 'added', D: 'deleted' } as const
const isKnown = (letter: string): letter is keyof typeof changeOf => letter in changeOf

/** `--raw --numstat -z`: all raw records (`:modes ids X NUL path`), then all counts (`n TAB n TAB path`). */
export async function readChangedFiles(
  directory: string,
  range: string,
): GitAnswer<readonly ChangedFile[]> {
  const text = await gitText(directory, ['diff', ...PLAIN, '--raw', '--numstat', '-z', range, '--'])
  if (!text.ok) return text
  const fields = text.value.split('\0').slice(0, -1)
  const changes = new Map<string, ChangedFile['change']>()
  const files: ChangedFile[] = []
  for (let at = 0; at < fields.length; at += 1) {
    const field = fields[at] ?? ''
    if (field.startsWith(':')) {
      const letter = field.slice(-1)
      at += 1
      changes.set(fields[at] ?? '', isKnown(letter) ? changeOf[letter] : 'modified')
      continue
    }
    const [additions = '', deletions = '', ...path] = field.split('\t')
    const rawPath = path.join('\t')
    const change = changes.get(rawPath)
    if (change === undefined) return err(hostError(`git diff answered ${field}`))
    files.push({ rawPath, change, additions: lines(additions), deletions: lines(deletions) })
  }
  return ok(files)
}

const lines = (count: string) => (count === '-' ? null : Number(count))
