import { people } from '../people.ts'
import { baseFiles, overlayFiles } from './application.ts'
import { componentFile, type ComponentRow, type Environment, entityFile } from './entity.ts'
import type { SeedFile } from './file.ts'
import { broken, duplicate } from './flaws.ts'
import type { SeedCommit, SeedPullRequest } from './git-history.ts'
import * as payments from './payments.ts'
import * as platform from './platform.ts'
import { releaseTexts } from './release.ts'
import * as shipping from './shipping.ts'

const { dev, manager, platform: engineer, outsider } = people

const paymentsRows: readonly ComponentRow[] = [
  ...payments.components,
  payments.billing.inProduction,
]
const shippingRows: readonly ComponentRow[] = shipping.components

const paymentsComponent = (row: ComponentRow) => componentFile('payments', payments.SYSTEM, row)
const shippingComponent = (row: ComponentRow) => componentFile('shipping', shipping.SYSTEM, row)

const overlays = (environment: Environment): readonly SeedFile[] => [
  ...paymentsRows.flatMap((row) => overlayFiles('payments', row, environment)),
  ...shippingRows.flatMap((row) => overlayFiles('shipping', row, environment)),
]

const componentNamed = <Row extends ComponentRow>(rows: readonly Row[], name: Row['name']): Row => {
  const row = rows.find((one) => one.name === name)
  if (row === undefined) throw new Error(`no component ${name}`)
  return row
}

const paymentsApi = componentNamed(payments.components, 'payments-api')
const invoices = componentNamed(paymentsRows, 'invoice-service')
const ledger: ComponentRow = componentNamed(payments.components, 'ledger')
const labelPrinter = componentNamed(shipping.components, 'label-printer')

export const commits: readonly [SeedCommit, ...SeedCommit[]] = [
  {
    daysAgo: 212.2,
    by: engineer,
    message: 'Start the gitops repository',
    files: [...platform.files, ...platform.entities.map((row) => entityFile('platform-team', row))],
  },
  {
    daysAgo: 208.4,
    by: manager,
    message: 'payments: add team, system, APIs and resources',
    files: payments.entities.map((row) => entityFile('payments', row)),
  },
  {
    daysAgo: 207.1,
    by: dev,
    message: 'payments: add components',
    files: paymentsRows.flatMap((row) => [paymentsComponent(row), ...baseFiles('payments', row)]),
  },
  {
    daysAgo: 181.3,
    by: outsider,
    message:
      'shipping: add our services\n\nThey were listed in the wiki until now. That page is read-only now.',
    files: [
      ...shipping.entities.map((row) => entityFile('shipping', row)),
      ...shippingRows.flatMap((row) => [shippingComponent(row), ...baseFiles('shipping', row)]),
    ],
  },
  {
    daysAgo: 160.45,
    by: engineer,
    message: 'apps: add dev overlays',
    files: [...overlays('dev'), ...overlayFiles('payments', paymentsApi, 'dev', '1.5.0-rc.1')],
  },
  {
    daysAgo: 131.25,
    by: engineer,
    message: 'apps: add staging overlays',
    files: overlays('staging'),
  },
  {
    daysAgo: 96.35,
    by: engineer,
    message: 'apps: add production overlays',
    files: overlays('production'),
  },
  {
    daysAgo: 60.15,
    by: manager,
    message: 'payments: deprecate legacy-billing\n\ninvoice-service replaces it.',
    files: [paymentsComponent(payments.billing.deprecated)],
  },
  { daysAgo: 41.05, by: outsider, message: 'shipping: rename files', files: duplicate },
  { daysAgo: 12.28, by: outsider, message: 'shipping: add warehouse feed', files: [broken] },
  {
    daysAgo: 10.41,
    by: dev,
    message: 'payments-api: 1.5.0-rc.3 to dev',
    files: overlayFiles('payments', paymentsApi, 'dev').slice(0, 1),
  },
  {
    daysAgo: 9.87,
    by: engineer,
    message:
      'Check the catalog in CI\n\nThe file of the warehouse feed was merged broken, and nobody saw it for two days.',
    files: [platform.workflow],
  },
]

/** Ordered by number. */
export const pullRequests: readonly SeedPullRequest[] = [
  {
    branch: 'payments/ledger-contact',
    title: 'ledger: add the on-call channel',
    body: 'Last week nobody knew whom to call at night. The catalog is where people look first.',
    openedDaysAgo: 9.33,
    by: dev,
    files: [
      paymentsComponent({
        ...ledger,
        annotations: { ...ledger.annotations, 'acme.example/on-call': '#payments-on-call' },
      }),
    ],
    merged: { daysAgo: 8.12, by: engineer },
  },
  {
    branch: 'shipping/label-printer-queue',
    title: 'label-printer: describe the queue',
    body: 'New colleagues ask what happens while a station is offline.\n\n- describe the queue\n- add the tag queue',
    openedDaysAgo: 1.22,
    by: outsider,
    files: [
      shippingComponent({
        ...labelPrinter,
        description:
          'Prints parcel labels at the packing stations; keeps them in a queue while a station is offline',
        tags: [...labelPrinter.tags, 'queue'],
      }),
    ],
  },
  {
    ...releaseTexts({ team: 'payments', app: 'invoice-service', environment: 'staging' }, manager),
    openedDaysAgo: 0.19,
    by: manager,
    files: overlayFiles('payments', invoices, 'staging', invoices.deployed.dev).slice(0, 1),
  },
]
