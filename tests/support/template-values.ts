import { valuesOf } from '#src/lib/domain/scaffold/placeholders.ts'

/** The values of a run with these parameters. */
export const valuesWith = (
  parameters: Readonly<Record<string, string | number | boolean>>,
  description = 'Sells',
) =>
  valuesOf(
    {
      appName: 'shop',
      description,
      team: 'payments',
      namespace: 'payments-dev',
      org: 'acme',
      owner: 'group:acme/payments',
      image: 'ghcr.io/acme/shop',
      templateId: 'service',
      templateVersion: '1.0.0',
      databaseEnabled: 'false',
      externalSecretsEnabled: 'true',
      ingressEnabled: 'true',
    },
    parameters,
  )
