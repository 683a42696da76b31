import { PATHS } from '../../console/paths.ts'
import { type Html, type Value, html } from '../../lib/http/html.ts'
import type { SessionState } from '../../lib/http/request-context.ts'
import { commandsFor } from './commands.ts'
import { type IconName, card, icon } from '../../console/git/parts.ts'

interface Sight {
  readonly href: string
  readonly sign: IconName
  readonly name: string
  readonly what: string
}

/** Pages of the console. */
const CONSOLE: readonly Sight[] = [
  {
    href: PATHS.home,
    sign: 'grid',
    name: 'Console',
    what: 'What is broken, what waits for you, and which version runs where',
  },
  {
    href: PATHS.catalog,
    sign: 'component',
    name: 'Catalog',
    what: 'Services, APIs and resources, and who owns them',
  },
  {
    href: PATHS.templates,
    sign: 'plus',
    name: 'New project',
    what: 'A repository, its secrets and its pull request, from a template',
  },
  {
    href: PATHS.clusters,
    sign: 'server',
    name: 'Clusters',
    what: 'Pods of the teams, live; payments-api runs out of memory again and again',
  },
  {
    href: PATHS.problems,
    sign: 'warn',
    name: 'Problems',
    what: 'A broken file and a duplicate entity, with file and line',
  },
  { href: PATHS.audit, sign: 'list', name: 'Audit', what: 'Who did what, allowed or refused' },
]

/** Pages of the demo. */
const BESIDE: readonly Sight[] = [
  {
    href: '/git',
    sign: 'repository',
    name: 'Repositories',
    what: 'Files, commits and pull requests of the organisation acme',
  },
  {
    href: '/git/acme/gitops/pulls',
    sign: 'branch',
    name: 'Pull requests',
    what: 'Sign in as Priya Raman to merge one: its pods start a moment later',
  },
  { href: '/docs', sign: 'api', name: 'API', what: 'Every request, with a form to try it' },
]

interface Start {
  readonly origin: string
  readonly hasConsole: boolean
}

/** Explains the demo, and leads into it. */
export const startMain = (session: SessionState, { origin, hasConsole }: Start): Html => html`
  <div class="title">
    <h1>A developer portal, with made-up data</h1>
    ${greeting(session)}
  </div>
  <div class="stack">
    <section aria-labelledby="look">
      <h2 class="sr" id="look">Look around</h2>
      <ul class="places">
        ${[...(hasConsole ? CONSOLE : []), ...BESIDE].map(
          ({ href, sign, name, what }) => html`
            <li>
              ${icon(sign)}<a href="${href}">${name}</a>
              <p>${what}</p>
            </li>
          `,
        )}
      </ul>
    </section>
    ${card({
      title: 'From a terminal',
      body: html`
        <ol class="card-body steps">
          ${commandsFor(origin).map(
            ({ why, lines }) => html`
              <li>
                <p>${why}</p>
                <pre class="command" tabindex="0"><code>${lines}</code></pre>
              </li>
            `,
          )}
        </ol>
      `,
    })}
  </div>
`

function greeting(session: SessionState): Value {
  if (session.kind !== 'active') {
    return html`<p class="muted">
      You are not signed in, and most pages ask for it.
      <a href="/dev/sign-in">Sign in as one of four people</a>.
    </p>`
  }
  const { name, subject, groups } = session.session.principal
  const names = groups.kind === 'known' ? groups.names : []
  return html`<p class="muted">
    You are signed in as <strong>${name}</strong> (<code>${subject}</code>), a member of
    ${names.map((group, index) => html`${index === 0 ? '' : ', '}<code>${group}</code>`)}.
  </p>`
}
