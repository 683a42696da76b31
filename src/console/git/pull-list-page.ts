import { type Html, type Value, html } from '../../lib/http/html.ts'
import type { RepositoryId } from '../../lib/names.ts'
import type { PullRequest } from '../../lib/ports/git-host.ts'
import { newPullLink, repositoryLink } from './links.ts'
import { pager } from './paging.ts'
import { empty } from './parts.ts'
import { pullRows } from './pull-request.ts'
import { tabLink } from './repository-page.ts'

const STATES = ['open', 'merged', 'closed'] as const
const PAGE_ROWS = 50

type State = (typeof STATES)[number]

const LABELS: Readonly<Record<State, string>> = { open: 'Open', merged: 'Merged', closed: 'Closed' }

/** The state that the query asks for; the open ones for anything else. */
export function stateIn(url: string): State {
  const text = new URL(url).searchParams.get('state')
  return STATES.find((state) => state === text) ?? 'open'
}

interface Selection {
  readonly url: string
  readonly state: State
  readonly page: number
}

/** The pull requests of a repository by state, newest first. */
export function pullListMain(
  id: RepositoryId,
  pulls: readonly PullRequest[],
  { url, state, page }: Selection,
): Html {
  const matching = pulls.filter((pull) => pull.state === state)
  const shown = matching.slice((page - 1) * PAGE_ROWS, page * PAGE_ROWS)
  return html`
    <div class="bar">
      <h1>Pull requests</h1>
      <a class="bar-end button primary" href="${newPullLink(id, {})}">New pull request</a>
    </div>
    <section class="card" aria-label="Pull requests">
      <nav class="tabs tabs-in-card" aria-label="State">
        ${STATES.map((one) =>
          tabLink({
            href: `${repositoryLink(id)}/pulls?state=${one}`,
            label: html`${LABELS[one]}
              <span class="count">${pulls.filter((pull) => pull.state === one).length}</span>`,
            isCurrent: one === state,
          }),
        )}
      </nav>
      ${shown.length === 0 ? empty(`There are no ${state} pull requests.`, whatToDo(state)) : pullRows(id, shown)}
    </section>
    ${pager({ url, page, hasNext: matching.length > page * PAGE_ROWS, what: 'pull requests' })}
  `
}

const whatToDo = (state: State): Value =>
  state === 'open'
    ? html`<p>Push a branch and propose it, or ask for a promotion in the console.</p>`
    : null
