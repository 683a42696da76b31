import { Elysia } from 'elysia'
import type { DemoDeps } from '#src/demo/deps.ts'
import { html, type Value } from '#src/demo/html.ts'
import { page } from '#src/demo/page.ts'
import { problem } from '#src/lib/http/problem.ts'
import { contextOf } from '#src/lib/http/request-context.ts'

export default ({
  forge,
  origin,
  webhookTokenHint,
}: Pick<DemoDeps, 'forge' | 'origin' | 'webhookTokenHint'>) =>
  new Elysia().get('', async ({ request }) => {
    const repositories = await forge.repositories()
    if (!repositories.ok) return problem(request, repositories.error)
    const names = repositories.value.map(({ owner, name }) => `${owner}/${name}`)
    const main = html`
      <h1>A developer portal, with made-up data</h1>
      ${greeting(request)}
      <h2>Look around</h2>
      <ul>
        <li><a href="/docs">API description</a>, to read and to try</li>
        <li><a href="/api/v1/catalog/entities">Catalog</a>: every entity, as JSON</li>
        <li>
          <a href="/api/v1/catalog/problems">What is wrong in the catalog</a>: a broken file and a
          duplicate
        </li>
        <li><a href="/api/v1/scaffold/templates">Templates</a> that new projects start from</li>
        <li><a href="/api/v1/clusters">Clusters</a> that your groups may see</li>
        <li>
          <a href="/api/v1/clusters/dev-east/namespaces/payments-dev/pods">Pods of payments</a>: one
          of the deployments runs out of memory
        </li>
        ${names.map((name) => html`<li>Repository <a href="/git/${name}">${name}</a></li>`)}
        <li><a href="/git/acme/gitops/pulls">Pull requests</a> of the gitops repository</li>
      </ul>
      <h2>From a terminal</h2>
      ${lines(origin, webhookTokenHint)}
    `
    return page(request, 'Start', main)
  })

function greeting(request: Request): Value {
  const { session } = contextOf(request)
  if (session.kind !== 'active') {
    return html`<p>
      You are not signed in, so most of this will answer 401.
      <a href="/dev/sign-in">Sign in as one of four people.</a>
    </p>`
  }
  const { name, subject, groups } = session.session.principal
  const names = groups.kind === 'known' ? groups.names : []
  return html`<p>
    You are <strong>${name}</strong> (<code>${subject}</code>), in
    ${names.map((group, index) => html`${index === 0 ? '' : ', '}<code>${group}</code>`)}.
  </p>`
}

const lines = (origin: string, webhookTokenHint: string) => html`
  <p>Sign in, and ask for everything that is in development:</p>
  <pre tabindex="0"><code>curl -c jar -d user=dev ${origin}/dev/sign-in
curl -b jar '${origin}/api/v1/catalog/entities?lifecycle=development'</code></pre>
  <p>Start a project, and watch it being made:</p>
  <pre tabindex="0"><code>curl -b jar ${origin}/api/v1/scaffold/templates
curl -N -b jar -H 'Content-Type: application/json' ${origin}/api/v1/scaffold \\
  -d '{"templateId":"go-service","appName":"tax-api","team":"payments","namespace":"payments-dev"}'</code></pre>
  <p>See where a service stands on its way to production, and what the next step would change:</p>
  <pre
    tabindex="0"
  ><code>curl -b jar ${origin}/api/v1/catalog/entities/component/payments-api/promotion
curl -c manager -d user=manager ${origin}/dev/sign-in
curl -b manager -H 'Content-Type: application/json' -d '{"targetLifecycle":"staging"}' \\
  '${origin}/api/v1/catalog/entities/component/payments-api/promotion?dryRun=true'</code></pre>
  <p>See your pods, live, then restart a deployment in another terminal:</p>
  <pre
    tabindex="0"
  ><code>curl -N -b jar '${origin}/api/v1/clusters/dev-east/namespaces/payments-dev/pods?watch=true'
curl -b jar -X POST ${origin}/api/v1/clusters/dev-east/namespaces/payments-dev/deployments/checkout-web/restart</code></pre>
  <p>Change the catalog, and see it served at once:</p>
  <pre
    tabindex="0"
  ><code>git clone http://dev:demo@${origin.slice('http://'.length)}/git/acme/gitops.git
cd gitops
\${EDITOR:-vi} catalog/payments/components/payments-api.yaml
git commit -am 'payments-api: say more' && git push
curl -b ../jar ${origin}/api/v1/catalog/entities/component/payments-api</code></pre>
  <p>Forget the cached catalog, as the webhook of a git host does:</p>
  <pre
    tabindex="0"
  ><code>curl -X POST -H "Authorization: Bearer ${webhookTokenHint}" ${origin}/api/v1/webhooks/catalog/refresh</code></pre>
`
