import { Elysia } from 'elysia'
import type { DemoDeps } from '#src/demo/deps.ts'
import { html, type Value } from '#src/lib/http/html.ts'
import { page } from '#src/demo/page.ts'
import { problem } from '#src/lib/http/problem.ts'
import { contextOf } from '#src/lib/http/request-context.ts'

export default ({ forge, origin }: Pick<DemoDeps, 'forge' | 'origin'>) =>
  new Elysia().get('', async ({ request }) => {
    const repositories = await forge.repositories()
    if (!repositories.ok) return problem(request, repositories.error)
    const names = repositories.value.map(({ owner, name }) => `${owner}/${name}`)
    const main = html`
      <h1>A developer portal, with made-up data</h1>
      ${greeting(request)}
      <h2>Look around</h2>
      <ul>
        <li><a href="/docs">API documentation</a>, where you can try every request</li>
        <li><a href="/api/v1/catalog/entities">Catalog</a>: all entities, as JSON</li>
        <li>
          <a href="/api/v1/catalog/problems">Problems of the catalog</a>: a broken file and a
          duplicate entity
        </li>
        <li><a href="/api/v1/scaffold/templates">Templates</a> for new projects</li>
        <li>
          <a href="/api/v1/environments">Environments</a>: which version of each application runs
          where
        </li>
        <li>
          <a href="/api/v1/promotions">Promotions</a> and releases that wait for a review or a
          confirmation
        </li>
        <li><a href="/api/v1/clusters">Clusters</a> that your groups may use</li>
        <li>
          <a href="/api/v1/clusters/dev-east/namespaces/payments-dev/pods"
            >Pods of the payments team</a
          >: the payments API runs out of memory again and again
        </li>
        ${names.map((name) => html`<li>Repository <a href="/git/${name}">${name}</a></li>`)}
        <li><a href="/git/acme/gitops/pulls">Pull requests</a> of the gitops repository</li>
      </ul>
      <h2>From a terminal</h2>
      ${commands(origin)}
    `
    return page(request, 'Start', main)
  })

function greeting(request: Request): Value {
  const { session } = contextOf(request)
  if (session.kind !== 'active') {
    return html`<p>
      You are not signed in, so most links below answer 401 Unauthorized.
      <a href="/dev/sign-in">Sign in first.</a>
    </p>`
  }
  const { name, subject, groups } = session.session.principal
  const names = groups.kind === 'known' ? groups.names : []
  return html`<p>
    You are signed in as <strong>${name}</strong> (<code>${subject}</code>), a member of
    ${names.map((group, index) => html`${index === 0 ? '' : ', '}<code>${group}</code>`)}.
  </p>`
}

const commands = (origin: string) => html`
  <p>Sign in, and list everything in the lifecycle <code>development</code>:</p>
  <pre tabindex="0"><code>curl -c jar -d user=dev ${origin}/dev/sign-in
curl -b jar '${origin}/api/v1/catalog/entities?lifecycle=development'</code></pre>
  <p>Create a project from a template, and follow its steps:</p>
  <pre tabindex="0"><code>curl -b jar ${origin}/api/v1/scaffold/templates
curl -N -b jar -H 'Content-Type: application/json' ${origin}/api/v1/scaffold \\
  -d '{"templateId":"go-service","appName":"tax-api","team":"payments","namespace":"payments-dev"}'</code></pre>
  <p>See how far a service is on its way to production, and what its promotion would change:</p>
  <pre
    tabindex="0"
  ><code>curl -b jar ${origin}/api/v1/catalog/entities/component/payments-api/promotion
curl -c manager -d user=manager ${origin}/dev/sign-in
curl -b manager -H 'Content-Type: application/json' -d '{"targetLifecycle":"staging"}' \\
  '${origin}/api/v1/catalog/entities/component/payments-api/promotion?dryRun=true'</code></pre>
  <p>See what ran in an environment before, and what a release of another version would change:</p>
  <pre tabindex="0"><code>curl -b jar -G -d environment=dev \\
  ${origin}/api/v1/catalog/entities/component/payments-api/promotion/history
curl -b jar -H 'Content-Type: application/json' \\
  -d '{"targetLifecycle":"development","overlayConfig":{"image":{"tag":"1.5.0"}}}' \\
  '${origin}/api/v1/catalog/entities/component/payments-api/promotion?dryRun=true'</code></pre>
  <p>Watch your pods, and restart a deployment in another terminal:</p>
  <pre
    tabindex="0"
  ><code>curl -N -b jar '${origin}/api/v1/clusters/dev-east/namespaces/payments-dev/pods?watch=true'
curl -b jar -X POST \\
  ${origin}/api/v1/clusters/dev-east/namespaces/payments-dev/deployments/checkout-web/restart</code></pre>
  <p>Follow everything that a page shows, over one connection:</p>
  <pre
    tabindex="0"
  ><code>curl -N -b jar '${origin}/api/v1/events?topics=catalog,promotions,pods:dev-east/payments-dev'</code></pre>
  <p>Change the catalog by a push of the platform team; the portal serves the change at once:</p>
  <pre
    tabindex="0"
  ><code>git clone http://platform:demo@${origin.slice('http://'.length)}/git/acme/gitops.git
cd gitops
\${EDITOR:-vi} catalog/payments/components/payments-api.yaml
git commit -am 'payments-api: change the description' && git push
curl -b ../jar ${origin}/api/v1/catalog/entities/component/payments-api</code></pre>
`
