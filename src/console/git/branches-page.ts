import { type Html, html, type Value } from '../../lib/http/html.ts'
import type { RepositoryId } from '../../lib/names.ts'
import type { Tip, Tips } from '../../lib/ports/forge.ts'
import type { PullRequest } from '../../lib/ports/git-host.ts'
import { counted } from '../ui/words.ts'
import { commitLink, folderLink, newPullLink, pullLink } from './links.ts'
import { card, chip, icon, plainText, timeOf } from './parts.ts'

/** Branches with their last commits, and what became of each as a proposal. */
export const branchesMain = (
  id: RepositoryId,
  { tips, leftOut }: Tips,
  open: readonly PullRequest[],
): Html => html`
  <div class="bar"><h1>Branches</h1></div>
  ${card({
    title: counted(tips.length, 'branch', 'branches'),
    body: html`
      <table class="list list-stacked">
        <thead>
          <tr>
            <th scope="col">Branch</th>
            <th scope="col">Last commit</th>
            <th scope="col" class="list-end">Pull request</th>
          </tr>
        </thead>
        <tbody>
          ${tips.map((tip) => row(id, tip, open))}
        </tbody>
      </table>
      ${leftOut > 0 ? html`<p class="foot">${counted(leftOut, 'further branch', 'further branches')} left out: too many, or with an unusual name.</p>` : null}
    `,
  })}
`

const row = (id: RepositoryId, tip: Tip, open: readonly PullRequest[]): Html => html`
  <tr>
    <td class="list-what">
      ${icon('split')}<a href="${folderLink(id, tip.branch, null)}">${tip.branch}</a>
      ${tip.isDefault ? chip('info', 'repository', 'Default') : null}
    </td>
    <td class="list-change">
      <a href="${commitLink(id, tip.commit)}"
        ><bdi>${plainText(tip.subject) || '(no message)'}</bdi></a
      >
      <span class="muted"
        ><bdi>${plainText(tip.authorName ?? 'Somebody')}</bdi>, ${timeOf(tip.committedAt)}</span
      >
    </td>
    <td class="list-end">${proposalOf(id, tip, open)}</td>
  </tr>
`

function proposalOf(
  id: RepositoryId,
  { branch, isDefault }: Tip,
  open: readonly PullRequest[],
): Value {
  if (isDefault) return null
  const pull = open.find(({ head }) => head.branch === branch)
  return pull === undefined
    ? html`<a href="${newPullLink(id, { head: branch })}" aria-label="Propose ${branch}"
        >Propose</a
      >`
    : html`<a href="${pullLink(id, pull.number)}">#${pull.number}</a>`
}
