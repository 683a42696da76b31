import { type Html, type Value, html } from '../../lib/http/html.ts'
import { type Person, people } from '../people.ts'
import { face, icon } from '../../console/git/parts.ts'
import { mark } from '../../console/git/page.ts'

interface Right {
  readonly isGiven: boolean
  readonly what: string
}

const may = (what: string): Right => ({ isGiven: true, what })
const mayNot = (what: string): Right => ({ isGiven: false, what })

/** The rights that differ; everybody reads the catalog and the repositories. */
const RIGHTS: Readonly<Record<keyof typeof people, readonly Right[]>> = {
  dev: [
    may('Starts projects, and promotes those of payments to dev'),
    may('Sees and restarts the pods of payments in Development East'),
    mayNot('Staging and production: the manager does that'),
  ],
  manager: [
    may('Promotes the applications of payments up to production'),
    may('Sees and restarts their pods, in Production West too'),
    mayNot('Merging into gitops: the platform team does that'),
  ],
  platform: [
    may('Merges and closes pull requests, pushes everywhere'),
    may('Acts for every team, in every cluster'),
    may('Reads the whole audit trail'),
  ],
  outsider: [
    may('The same as Dana, in the team shipping'),
    may('Reads the catalog of payments'),
    mayNot('Pods, secrets and promotions of payments'),
  ],
}

interface SignInPage {
  /** Fields of the form that nobody fills in. */
  readonly hidden: Readonly<Record<string, string | null | undefined>>
  /** Who is signed in; `null`: nobody. */
  readonly present: string | null
  /** The path to which the sign-in leads, if not to the start. */
  readonly returnTo: string | undefined
}

/** The first page that most people see: four people, one choice. */
export const signInMain = ({ hidden, present, returnTo }: SignInPage): Html => html`
  <div class="welcome">
    <div class="welcome-head">
      ${mark}
      <h1>Who do you want to be?</h1>
      <p>
        Portico runs here with the made-up company acme. Choose one of four people: no password,
        because only this machine can reach the demo.
      </p>
    </div>
    <form method="post" action="/dev/sign-in">
      ${Object.entries(hidden).map(([name, value]) =>
        value ? html`<input type="hidden" name="${name}" value="${value}" />` : null,
      )}
      <ul class="people">
        ${Object.values(people).map((person) =>
          personCard(person, RIGHTS[person.id], person.id === present),
        )}
      </ul>
    </form>
    <p class="welcome-foot">
      ${returnTo === undefined ? null : html`Afterwards you are back at <code>${returnTo}</code>. `}You
      can switch at any time. <a href="/dev">About this demo</a>
    </p>
  </div>
`

const personCard = (
  { id, name, groups, role }: Person,
  rights: readonly Right[],
  isPresent: boolean,
): Html => html`
  <li class="person">
    ${face(name)}
    <div class="person-name">
      <button name="user" value="${id}" aria-describedby="role-${id} rights-${id}">
        ${name} <small>(${id})</small>
      </button>
      <p id="role-${id}">
        ${role}${isPresent ? html` · <strong>you are signed in</strong>` : null}
      </p>
    </div>
    ${icon('arrow')}
    <ul class="person-may" id="rights-${id}">
      ${rights.map(rightRow)}
    </ul>
    <p class="person-groups">
      ${groups.length > 1 ? 'Groups' : 'Group'}
      ${groups.map((group) => html`<code class="tag">${group}</code>`)}
    </p>
  </li>
`

const rightRow = ({ isGiven, what }: Right): Value =>
  isGiven
    ? html`<li data-tone="ok">${icon('check')}${what}</li>`
    : html`<li data-tone="idle">
        ${icon('cross')}<span><span class="sr">Not: </span>${what}</span>
      </li>`
