import type { ForgeFailure } from '../lib/adapters/git-host/local/index.ts'
import type { Failure } from '../lib/http/failure.ts'
import { html } from '../lib/http/html.ts'
import { preferredFormat } from '../lib/http/preferred-format.ts'
import { problem, problemRenderer } from '../lib/http/problem.ts'
import type { ProblemTable } from '../lib/http/problem-table.ts'
import { contextOf } from '../lib/http/request-context.ts'
import { page } from './page.ts'

/** Refusals of the demo alone: only here people use the git host directly. */
type ForgeRefusal =
  | Exclude<ForgeFailure, Failure>
  | { readonly kind: 'git_unauthorized' }
  | { readonly kind: 'repository_not_found' }

const problems: ProblemTable<ForgeRefusal> = {
  git_unauthorized: {
    status: 401,
    title: 'The user name or password is missing or wrong',
    headers: () => ({ 'www-authenticate': 'Basic realm="Portico demo"' }),
  },
  repository_not_found: { status: 404, title: 'There is no such repository' },
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
  forge_bad_release: {
    status: 502,
    code: 'git_host_error',
    title: 'The git host gave an answer that cannot be used',
  },
}

const refuse = problemRenderer(problems)

const isForgeRefusal = (failure: Failure | ForgeRefusal): failure is ForgeRefusal =>
  failure.kind in problems

/** A missing repository is a 404 here: the client named it. Elsewhere it is an error of the git host. */
export function forgeProblem(request: Request, failure: Failure | ForgeRefusal): Response {
  if (isForgeRefusal(failure)) return refused(request, failure)
  return failure.kind === 'git_not_found' && failure.what === 'repository'
    ? refused(request, { kind: 'repository_not_found' })
    : problem(request, failure)
}

/** A browser gets a page: people come here by forms and old links. Git, which is asked for a password, is none. */
function refused(request: Request, refusal: ForgeRefusal): Response {
  if (refusal.kind === 'git_unauthorized' || preferredFormat(request) !== 'html') {
    return refuse(request, refusal)
  }
  const { status, title } = problems[refusal.kind]
  const { path, requestId } = contextOf(request)
  const before = path.replace(/\/(?:merge|close)$/, '')
  const [back, label] =
    before === path
      ? ['/git/acme/gitops/pulls', 'Pull requests of the gitops repository']
      : [before, 'Back to the pull request']
  const main = html`
    <h1>${title}</h1>
    <p><a href="${back}">${label}</a></p>
    <p class="soft">Request id <code>${requestId}</code></p>
  `
  return page(request, title, main, status)
}
