import { type Html, html, type Value } from '../../lib/http/html.ts'
import type { RepositoryId } from '../../lib/names.ts'
import { counted } from '../ui/words.ts'
import { folderTable, type Front, readmeCard } from './folder.ts'
import { folderLink, newPullLink, repositoryLink, tokensLink } from './links.ts'
import { card, plainText } from './parts.ts'
import { lastCommit, refPicker } from './place-head.ts'
import { pullRows } from './pull-request.ts'

const PULLS_SHOWN_MAX = 5

/** The front page of a repository. */
export function frontMain(front: Front, clone: Clone): Html {
  const { place, folder, tips, readme, openPulls } = front
  const { id } = place
  return html`
    <div class="two">
      <div class="stack">
        <div class="bar">
          ${refPicker(place, tips.tips, (ref) => folderLink(id, ref, null))}
          <a class="bar-end button" href="${newPullLink(id, {})}">New pull request</a>
        </div>
        <section class="card" aria-label="Files">
          ${lastCommit(place, front.lastCommit)}${folderTable(place, folder)}
        </section>
        ${readme === null ? null : readmeCard(place, readme)}
      </div>
      <div class="stack">
        ${aboutCard(front)} ${cloneCard(id, clone)}
        ${card({
          title: 'Open pull requests',
          end: html`<a href="${repositoryLink(id)}/pulls">All</a>`,
          body:
            openPulls.length === 0
              ? html`<p class="card-body muted">None.</p>`
              : pullRows(id, openPulls.slice(0, PULLS_SHOWN_MAX)),
        })}
      </div>
    </div>
  `
}

function aboutCard({ description, team, tips, place }: Front): Html {
  const facts: readonly (readonly [string, Value])[] = [
    ['Default branch', html`<code>${place.ref}</code>`],
    [
      'Branches',
      html`<a href="${repositoryLink(place.id)}/branches"
        >${counted(tips.tips.length, 'branch', 'branches')}</a
      >`,
    ],
    ['Team', team === null ? 'not known' : plainText(team)],
  ]
  return card({
    title: 'About',
    body: html`
      <div class="card-body">
        <p><bdi>${plainText(description) || 'There is no description.'}</bdi></p>
        <dl class="facts">
          ${facts.map(
            ([term, fact]) =>
              html`<div>
                <dt>${term}</dt>
                <dd>${fact}</dd>
              </div>`,
          )}
        </dl>
      </div>
    `,
  })
}

interface Clone {
  readonly origin: string
  readonly hasPasswords: boolean
}

const cloneCard = (id: RepositoryId, { origin, hasPasswords }: Clone): Html =>
  card({
    title: 'Clone',
    body: html`
      <div class="card-body">
        <pre
          class="command command-short"
        ><code>git clone ${origin}${repositoryLink(id)}.git</code></pre>
        <p class="muted">
          ${hasPasswords ? 'The password is your own. ' : ''}After
          <a href="/cli"><code>portico login ${origin}</code></a> git asks the command line, once it
          is told so:
        </p>
        <pre
          class="command command-short"
        ><code>git config --global credential.${origin}.helper '!portico credential'</code></pre>
        <p class="muted">
          Machines have a <a href="${tokensLink(id)}">deploy token</a>, which the platform team
          makes.
        </p>
      </div>
    `,
  })
