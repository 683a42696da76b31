import { Elysia } from 'elysia'
import { type Html, html, type Value } from '../../lib/http/html.ts'
import type { RepositoryId } from '../../lib/names.ts'
import type { GitPageDeps } from './deps.ts'
import { commitsLink, repositoryLink } from './links.ts'
import { pageSession } from './page-session.ts'
import { page } from './page.ts'
import { current, icon, type IconName } from './parts.ts'
import { repositoryParams } from './repository-params.ts'

type Tab = 'files' | 'commits' | 'branches' | 'pulls'

interface RepositoryPage {
  readonly id: RepositoryId
  /** `null`: a page without one. */
  readonly tab: Tab | null
  /** Title of the document. */
  readonly title: string
  readonly main: Html
  /** The front page of the repository: its name is the heading. */
  readonly isFront?: boolean
}

/** A page of a repository, with the way to its other pages. */
export function repositoryPage(
  request: Request,
  { id, tab, title, main, isFront = false }: RepositoryPage,
): Response {
  const home = repositoryLink(id)
  const name = `${id.owner}/${id.name}`
  const tabs: readonly (readonly [Tab, string, string, IconName])[] = [
    ['files', 'Files', home, 'file'],
    ['commits', 'Commits', commitsLink(id, 'HEAD', null), 'commit'],
    ['branches', 'Branches', `${home}/branches`, 'split'],
    ['pulls', 'Pull requests', `${home}/pulls`, 'branch'],
  ]
  const content = html`
    <nav class="crumbs" aria-label="Where this is">
      <a href="/git">Repositories</a>
      ${isFront ? null : html`<span aria-hidden="true">/</span> <a href="${home}">${name}</a>`}
    </nav>
    ${isFront ? html`<h1>${name}</h1>` : null}
    <nav class="tabs" aria-label="Repository">
      ${tabs.map(([key, label, href, sign]) => tabLink({ label, href, sign, isCurrent: key === tab }))}
    </nav>
    ${main}
  `
  return page(request, title, content)
}

type Answer = (forge: GitPageDeps['forge'], request: Request, id: RepositoryId) => Promise<Response>

/** The `GET` of a page of a repository. */
export const repositoryRoute =
  (answer: Answer) =>
  ({ forge }: Pick<GitPageDeps, 'forge'>) =>
    new Elysia()
      .use(pageSession)
      .get(
        '',
        ({ request, params: { owner, repository } }) =>
          answer(forge, request, { owner, name: repository }),
        { params: repositoryParams },
      )

interface TabLink {
  readonly label: Value
  readonly href: string
  readonly sign?: IconName
  readonly isCurrent: boolean
}

export const tabLink = ({ label, href, sign, isCurrent }: TabLink): Html =>
  html`<a href="${href}" ${current(isCurrent)}
    >${sign === undefined ? null : icon(sign)}${label}</a
  >`
