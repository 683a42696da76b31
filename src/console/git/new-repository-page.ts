import { type Html, html } from '../../lib/http/html.ts'
import { type RepositoryOwner, RepositoryPart, TeamName } from '../../lib/names.ts'
import { ok, type Result } from '../../lib/result.ts'
import { TEXT_RULES, type TextRule } from '../../lib/schema/rules.ts'
import { type InvalidForm, invalidField } from './forge-problem.ts'
import { icon } from './parts.ts'

const DESCRIPTION_MAX_CHARACTERS = 200
const ONE_LINE = /^[^\p{Cc}\p{Cf}\u2028\u2029]*$/u

interface Wanted {
  readonly name: RepositoryPart
  readonly team: TeamName
  readonly description: string
}

/** The repository that a form asks for. */
export function repositoryIn(form: URLSearchParams): Result<Wanted, InvalidForm> {
  const name = RepositoryPart.parse(form.get('name'))
  const team = TeamName.parse(form.get('team'))
  const description = (form.get('description') ?? '').trim()
  if (name === undefined) return invalid('/name', 'repository_name')
  if (team === undefined) return invalid('/team', 'name')
  if (description.length > DESCRIPTION_MAX_CHARACTERS || !ONE_LINE.test(description)) {
    return invalid('/description', 'one_line')
  }
  return ok({ name, team, description })
}

const invalid = (path: string, rule: TextRule) =>
  invalidField(path, rule, `must be ${TEXT_RULES[rule]}`)

/** `suggested`: a name that is missing. */
export const newRepositoryMain = (owner: RepositoryOwner, suggested: string): Html => html`
  <div class="bar"><h1>New repository</h1></div>
  <form class="card" method="post" action="/git/new">
    <div class="card-body fields">
      <p class="input">
        <label for="name">Name <span class="muted">in ${owner}</span></label>
        <input id="name" name="name" value="${suggested}" required maxlength="100" />
      </p>
      <p class="input">
        <label for="team">Team <span class="muted">that it belongs to</span></label>
        <input id="team" name="team" required maxlength="40" />
      </p>
      <p class="input">
        <label for="description">Description</label>
        <input id="description" name="description" maxlength="${DESCRIPTION_MAX_CHARACTERS}" />
      </p>
      <div class="actions">
        <button class="button primary">${icon('plus')}Make the repository</button>
      </div>
    </div>
  </form>
`
