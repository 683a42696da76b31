import type { Failure } from '../../lib/http/failure.ts'
import { BranchName } from '../../lib/names.ts'
import type { NewPullRequest } from '../../lib/ports/git-host.ts'
import { err, ok, type Result } from '../../lib/result.ts'
import type { FieldError } from '../../lib/schema/field-error.ts'
import { TEXT_RULES } from '../../lib/schema/rules.ts'

export const TITLE_MAX_CHARACTERS = 200
export const BODY_MAX_CHARACTERS = 20_000
/** A character takes up to twelve bytes in a form. */
export const PROPOSAL_BYTES_MAX = 256 * 1024

type Invalid = Extract<Failure, { kind: 'validation_failed' }>

/** The pull request that a form asks for. */
export function proposalIn(form: URLSearchParams): Result<Omit<NewPullRequest, 'author'>, Invalid> {
  const head = BranchName.parse(form.get('head'))
  const base = BranchName.parse(form.get('base'))
  const title = (form.get('title') ?? '').trim()
  // Browsers send the line ends of the network.
  const body = (form.get('body') ?? '').replaceAll('\r\n', '\n').trim()
  if (head === undefined) return invalid('/head', 'branch_name', TEXT_RULES.branch_name)
  if (base === undefined) return invalid('/base', 'branch_name', TEXT_RULES.branch_name)
  if (title === '' || title.length > TITLE_MAX_CHARACTERS || title.includes('\n')) {
    return invalid(
      '/title',
      'one_line',
      `must be one line of 1 to ${TITLE_MAX_CHARACTERS} characters`,
    )
  }
  if (body.length > BODY_MAX_CHARACTERS) {
    return invalid('/body', 'max_length', `must have at most ${BODY_MAX_CHARACTERS} characters`)
  }
  return ok({ head, base, title, body })
}

const invalid = (path: string, rule: FieldError['rule'], message: string) =>
  err({ kind: 'validation_failed', errors: [{ path, rule, message }] } as const)
