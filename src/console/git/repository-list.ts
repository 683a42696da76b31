import { type Html, html, type Value } from '../../lib/http/html.ts'
import type { RepositoryId } from '../../lib/names.ts'
import type { Forge, Tip } from '../../lib/ports/forge.ts'
import { counted } from '../ui/words.ts'
import { commitLink, repositoryLink } from './links.ts'
import { card, empty, icon, plainText, timeOf } from './parts.ts'

/** Each takes a few git processes. */
const REPOSITORIES_MAX = 200
const READ_AT_ONCE = 4

interface Row {
  readonly id: RepositoryId
  readonly description: string
  readonly tip: Tip | undefined
  /** `null`: not known. */
  readonly openPulls: number | null
}

type Reads = Pick<Forge, 'browse' | 'findPullRequests'>

/** The repositories with what each is for, its last change and its open pull requests. */
export async function repositoryRows(
  forge: Reads,
  repositories: readonly RepositoryId[],
  mayMake: boolean,
): Promise<Html> {
  const shown = repositories.slice(0, REPOSITORIES_MAX)
  const rows: Row[] = []
  for (let at = 0; at < shown.length; at += READ_AT_ONCE) {
    rows.push(
      ...(await Promise.all(shown.slice(at, at + READ_AT_ONCE).map((id) => read(forge, id)))),
    )
  }
  const more = repositories.length - shown.length
  return html`
    <div class="bar">
      <h1>Repositories</h1>
      ${mayMake ? html`<a class="bar-end button" href="/git/new">New repository</a>` : null}
    </div>
    ${card({
      title: counted(repositories.length, 'repository', 'repositories'),
      body: rows.length === 0 ? empty('There are no repositories.') : table(rows),
    })}
    ${more > 0 ? html`<p class="foot">${counted(more, 'further repository', 'further repositories')} left out.</p>` : null}
  `
}

/** A repository that cannot be read is listed all the same. */
async function read(forge: Reads, id: RepositoryId): Promise<Row> {
  const [about, tips, open] = await Promise.all([
    forge.browse.about(id),
    forge.browse.tips(id),
    forge.findPullRequests(id, { state: 'open' }),
  ])
  return {
    id,
    description: about.ok ? about.value.description : '',
    tip: tips.ok ? tips.value.tips.find(({ isDefault }) => isDefault) : undefined,
    openPulls: open.ok ? open.value.length : null,
  }
}

const table = (rows: readonly Row[]): Html => html`
  <table class="list list-stacked">
    <thead>
      <tr>
        <th scope="col">Repository</th>
        <th scope="col">Last change</th>
        <th scope="col" class="list-end">Pull requests</th>
      </tr>
    </thead>
    <tbody>
      ${rows.map(row)}
    </tbody>
  </table>
`

const row = ({ id, description, tip, openPulls }: Row): Html => html`
  <tr>
    <td class="list-what">
      ${icon('repository')}<a href="${repositoryLink(id)}">${id.owner}/${id.name}</a>
      <span class="muted list-more"><bdi>${plainText(description)}</bdi></span>
    </td>
    <td class="list-change">${changeOf(id, tip)}</td>
    <td class="list-end">${pullsOf(id, openPulls)}</td>
  </tr>
`

const changeOf = (id: RepositoryId, tip: Tip | undefined): Value =>
  tip === undefined
    ? html`<span class="muted">not known</span>`
    : html`<a href="${commitLink(id, tip.commit)}"
          ><bdi>${plainText(tip.subject) || '(no message)'}</bdi></a
        >
        <span class="muted">${timeOf(tip.committedAt)}</span>`

function pullsOf(id: RepositoryId, count: number | null): Value {
  if (count === null) return html`<span class="muted">not known</span>`
  if (count === 0)
    return html`<span class="muted">0 open<span class="list-word"> pull requests</span></span>`
  return html`<a href="${repositoryLink(id)}/pulls"
    >${count} open<span class="list-word"> pull requests</span></a
  >`
}
