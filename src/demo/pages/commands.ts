/** Commands to try from a terminal, in an order in which each works. */
export interface Command {
  readonly why: string
  readonly lines: string
}

export const commandsFor = (origin: string): readonly Command[] => {
  const api = `${origin}/api/v1`
  return [
    {
      why: 'Sign in, and list everything in the lifecycle development:',
      lines: `curl -c jar -d user=dev ${origin}/dev/sign-in
curl -b jar '${api}/catalog/entities?lifecycle=development'`,
    },
    {
      why: 'Create a project from a template, and follow its steps:',
      lines: `curl -b jar ${api}/scaffold/templates
curl -N -b jar -H 'Content-Type: application/json' ${api}/scaffold \\
  -d '{"templateId":"go-service","appName":"tax-api","team":"payments","namespace":"payments-dev"}'`,
    },
    {
      why: 'See how far a service is on its way to production, and what its promotion would change:',
      lines: `curl -b jar ${api}/catalog/entities/component/payments-api/promotion
curl -c manager -d user=manager ${origin}/dev/sign-in
curl -b manager -H 'Content-Type: application/json' -d '{"targetLifecycle":"staging"}' \\
  '${api}/catalog/entities/component/payments-api/promotion?dryRun=true'`,
    },
    {
      why: 'See what ran in an environment before, and what a release of another version would change:',
      lines: `curl -b jar -G -d environment=dev \\
  ${api}/catalog/entities/component/payments-api/promotion/history
curl -b jar -H 'Content-Type: application/json' \\
  -d '{"targetLifecycle":"development","overlayConfig":{"image":{"tag":"1.5.0"}}}' \\
  '${api}/catalog/entities/component/payments-api/promotion?dryRun=true'`,
    },
    {
      why: 'Watch your pods, and restart a deployment in another terminal:',
      lines: `curl -N -b jar '${api}/clusters/dev-east/namespaces/payments-dev/pods?watch=true'
curl -b jar -X POST \\
  ${api}/clusters/dev-east/namespaces/payments-dev/deployments/checkout-web/restart`,
    },
    {
      why: 'Follow everything that a page shows, over one connection:',
      lines: `curl -N -b jar '${api}/events?topics=catalog,promotions,pods:dev-east/payments-dev'`,
    },
    {
      why: 'Change the catalog by a push of the platform team; the portal serves the change at once:',
      lines: `git clone http://platform:demo@${origin.slice('http://'.length)}/git/acme/gitops.git
cd gitops
\${EDITOR:-vi} catalog/payments/components/payments-api.yaml
git commit -am 'payments-api: change the description' && git push
curl -b ../jar ${api}/catalog/entities/component/payments-api`,
    },
  ]
}
