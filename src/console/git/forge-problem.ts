import type { GitAccessFailure } from '../../lib/domain/forge/git-access.ts'
import type { NewRepositoryFailure } from '../../lib/domain/forge/new-repository.ts'
import type { PullRequestFailure } from '../../lib/domain/forge/pull-requests.ts'
import type { Failure } from '../../lib/http/failure.ts'
import { html } from '../../lib/http/html.ts'
import { preferredFormat } from '../../lib/http/negotiation.ts'
import { problem, problemRenderer, streamedProblem } from '../../lib/http/problem.ts'
import type { ProblemTable } from '../../lib/http/problem-table.ts'
import { contextOf } from '../../lib/http/request-context.ts'
import type { GitFailure } from '../../lib/ports/git-host.ts'
import { err } from '../../lib/result.ts'
import type { FieldError } from '../../lib/schema/field-error.ts'
import { page, signInPath } from './page.ts'

export type InvalidForm = Extract<Failure, { kind: 'validation_failed' }>

/** The refusal of a field of a form. */
export const invalidField = (path: string, rule: FieldError['rule'], message: string) =>
  err({ kind: 'validation_failed', errors: [{ path, rule, message }] } as const)

type Missing = Extract<GitFailure, { kind: 'git_not_found' }>['what']

/** Refusals of the git host alone: only here people use it directly. */
type ForgeRefusal =
  | Exclude<PullRequestFailure | GitAccessFailure | NewRepositoryFailure, Failure>
  | { readonly kind: `${Exclude<Missing, 'repository'>}_not_found` }
  | { readonly kind: 'file_too_large' }

const problems: ProblemTable<ForgeRefusal> = {
  git_unauthorized: {
    status: 401,
    title: 'The password is missing or wrong',
    headers: () => ({ 'www-authenticate': 'Basic realm="Portico"' }),
  },
  repository_exists: {
    status: 409,
    code: 'already_exists',
    title: 'There is a repository of this name already',
  },
  git_read_only: { status: 403, title: 'This deploy token reads only' },
  branch_not_found: { status: 404, title: 'There is no such branch or commit' },
  commit_not_found: { status: 404, title: 'There is no such commit' },
  file_not_found: { status: 404, title: 'There is no such file or folder' },
  file_too_large: { status: 422, title: 'The file is too large to be sent: clone the repository' },
  asset_not_found: { status: 404, title: 'There is no such file of a release' },
  forge_pull_request_not_found: {
    status: 404,
    code: 'pull_request_not_found',
    title: 'There is no such pull request',
  },
  forge_pull_request_not_open: {
    status: 409,
    code: 'pull_request_not_open',
    title: 'The pull request is not open any more',
    members: ({ state }) => ({ state }),
  },
  forge_head_moved: {
    status: 409,
    code: 'pull_request_head_moved',
    title: 'The pull request has changed since it was looked at',
    members: ({ head }) => ({ head }),
  },
  forge_merge_conflict: {
    status: 409,
    code: 'merge_conflict',
    title: 'The pull request conflicts with its base branch',
    members: ({ rawPaths }) => ({ paths: rawPaths }),
  },
  forge_approvals_missing: {
    status: 409,
    code: 'approvals_missing',
    title: 'The pull request needs more approvals',
    members: ({ approvals, required }) => ({ approvals, required }),
  },
  forge_own_pull_request: {
    status: 403,
    code: 'own_pull_request',
    title: 'Nobody approves what they have opened or committed',
  },
}

const refuse = problemRenderer(problems)

const isForgeRefusal = (failure: Failure | ForgeRefusal): failure is ForgeRefusal =>
  failure.kind in problems

/** Something missing is a 404 here: the client named it. Elsewhere it is an error of the git host. */
function named(failure: Failure | ForgeRefusal): Failure | ForgeRefusal {
  if (failure.kind !== 'git_not_found') return failure
  const { what } = failure
  return what === 'repository' ? { kind: 'repository_not_found' } : { kind: `${what}_not_found` }
}

/** A browser gets a page: people come here by forms and old links. Git, which is asked for a password, is none. */
export function forgeProblem(request: Request, cause: Failure | ForgeRefusal): Response {
  const failure = named(cause)
  const answer = isForgeRefusal(failure) ? refuse(request, failure) : problem(request, failure)
  if (failure.kind === 'git_unauthorized' || preferredFormat(request) !== 'html') return answer
  const title = isForgeRefusal(failure)
    ? problems[failure.kind].title
    : streamedProblem(failure).title
  return problemPage(request, { title, status: answer.status, messages: messagesOf(failure) })
}

/** The sentences for people that a failure has beside its title. */
function messagesOf(failure: Failure | ForgeRefusal): readonly string[] {
  if (failure.kind === 'validation_failed') {
    return failure.errors.map(({ path, message }) => `${path.slice(1)} ${message}`)
  }
  return failure.kind === 'forbidden' && 'required' in failure
    ? [`This is for members of ${failure.required.join(' and ')}.`]
    : []
}

interface ProblemPage {
  readonly title: string
  readonly status: number
  readonly messages: readonly string[]
}

function problemPage(request: Request, { title, status, messages }: ProblemPage): Response {
  const { path, requestId } = contextOf(request)
  const { href, label } = wayBack(path)
  const main = html`
    <div class="empty">
      <h1>${title}</h1>
      ${messages.map((message) => html`<p>${message}</p>`)}
      <p><a class="button" href="${href}">${label}</a></p>
      ${status === 401 ? html`<p><a class="button primary" href="${signInPath(request)}">Sign in</a></p>` : null}
      <p class="muted">Request <code>${requestId}</code></p>
    </div>
  `
  return page(request, title, main, { status })
}

function wayBack(path: string): { readonly href: string; readonly label: string } {
  const acted = /^(.+\/pulls\/[0-9]+)\/(?:merge|close|approve)$/.exec(path)?.[1]
  if (acted !== undefined) return { href: acted, label: 'Back to the pull request' }
  const pulls = /^(.+\/pulls)\/[0-9]+$/.exec(path)?.[1]
  if (pulls !== undefined) return { href: pulls, label: 'Pull requests of this repository' }
  const repository = /^(\/git\/[^/]+\/[^/]+)\/./.exec(path)?.[1]
  if (repository !== undefined) return { href: repository, label: 'Front page of this repository' }
  return { href: '/git', label: 'All repositories' }
}
