import { BranchName, ObjectId } from '../../../../names.ts'
import type { GitFailure } from '../../../../ports/git-host.ts'
import { ok, type Result } from '../../../../result.ts'
import { authorNameOf } from '../../../../git/author-name.ts'
import { commitTimeOf } from '../../../../git/commit-time.ts'
import { gitText } from '../../../../git/git.ts'
import type { Tip, Tips } from './index.ts'

const TIPS_MAX = 500
/** Only the subject is free text, and git writes it as one line. */
const FIELDS = ['HEAD', 'objectname', 'refname', 'committerdate:unix', 'authorname', 'subject']
const FORMAT = FIELDS.map((field) => `%(${field})`).join('%00')
const HEADS = 'refs/heads/'

export async function readTips(directory: string): Promise<Result<Tips, GitFailure>> {
  const args = ['for-each-ref', '--sort=-committerdate', `--format=${FORMAT}`, 'refs/heads']
  const text = await gitText(directory, args)
  if (!text.ok) return text
  const lines = text.value.split('\n').slice(0, -1)
  const tips = lines.flatMap((line) => parseTip(line) ?? []).slice(0, TIPS_MAX)
  return ok({ tips, leftOut: lines.length - tips.length })
}

function parseTip(line: string): Tip | undefined {
  const [mark, id, ref = '', seconds = '', author, subject = ''] = line.split('\0')
  const commit = ObjectId.parse(id)
  const branch = BranchName.parse(ref.slice(HEADS.length))
  if (commit === undefined || branch === undefined) return undefined
  return {
    branch,
    isDefault: mark === '*',
    commit,
    subject,
    authorName: authorNameOf(author),
    committedAt: /^\d+$/.test(seconds) ? commitTimeOf(Number(seconds) * 1_000) : null,
  }
}
