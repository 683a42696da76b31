import type { Page } from 'playwright-core'
import type { View } from './console.ts'

/** A page of the console, or a state of one, that has to be right at every width and in both schemes. */
export interface PageState {
  /** Names files of screenshots. */
  readonly name: string
  /** The state of the same page that has every part of this one. */
  readonly of?: string
  readonly path: string
  readonly as?: View['as']
  /** First heading. The title of the window begins with it. */
  readonly heading: string | RegExp
  /** A text that is there when everything has been loaded. */
  readonly shows?: string | RegExp
  /** Brings the page into the state. */
  readonly act?: (page: Page) => Promise<void>
}

const NAMESPACE = '/clusters/dev-east/payments-dev'
const NO_RUN = '/runs/01936b2e-7b1a-7c55-8d0e-5a3f0f6f2a11'

export const pageStates: readonly PageState[] = [
  { name: 'sign-in', path: '/', as: null, heading: 'Sign in to Portico' },
  {
    name: 'home',
    path: '/',
    heading: 'Payments today',
    shows: 'No access',
    act: (page) =>
      page
        .getByText(/^last change/)
        .first()
        .waitFor(),
  },
  {
    name: 'home-platform',
    of: 'home',
    path: '/',
    as: 'platform',
    heading: 'Everything today',
    shows: /Carrier bridge/,
    act: (page) => page.getByText('Secret store').waitFor(),
  },
  {
    name: 'home-outsider',
    of: 'home',
    path: '/',
    as: 'outsider',
    heading: 'Shipping today',
    shows: /nothing waits for you/,
  },
  {
    name: 'catalog',
    path: '/catalog',
    as: 'manager',
    heading: 'Catalog',
    shows: 'Payments API',
    // How it fares in the clusters comes after the rows.
    act: (page) => page.getByText('OOMKilled').first().waitFor({ state: 'attached' }),
  },
  { name: 'problems', path: '/problems', heading: 'Problems', shows: 'deficient indentation' },
  {
    name: 'audit',
    path: '/audit?action=all',
    as: 'platform',
    heading: 'Audit',
    act: (page) => page.getByRole('button', { name: 'Details' }).first().click(),
  },
  { name: 'cli', path: '/cli', heading: 'CLI', shows: /Install it on Linux/ },
  {
    name: 'sessions',
    path: '/sessions',
    as: 'platform',
    heading: 'Your account',
    shows: 'this browser',
  },
  {
    name: 'catalog-empty',
    of: 'catalog',
    path: '/catalog?q=zzz',
    heading: 'Catalog',
    shows: /Nothing/,
  },
  {
    name: 'catalog-filtered',
    of: 'catalog',
    path: '/catalog?lifecycle=production&owner=payments&q=pay',
    heading: 'Catalog',
    shows: 'Payments over HTTP',
  },
  {
    name: 'catalog-facet',
    path: '/catalog',
    heading: 'Catalog',
    shows: 'Payments API',
    async act(page) {
      await page.getByRole('button', { name: 'Kind' }).click()
      await page.getByRole('checkbox', { name: /Component/ }).waitFor()
    },
  },
  {
    name: 'entity',
    path: '/entities/component/payments-api',
    heading: 'Payments API',
    shows: /^(?!In git).+ · \d+d$/,
    act: (page) => page.getByText('Source', { exact: true }).click(),
  },
  {
    name: 'entity-production',
    of: 'entity',
    path: '/entities/component/ledger',
    as: 'manager',
    heading: 'Ledger',
    shows: /^Healthy · /,
  },
  {
    name: 'docs',
    path: '/entities/component/ledger/docs?page=docs/booking.md',
    heading: 'Ledger',
    shows: 'A posting is never changed.',
  },
  {
    name: 'entity-review',
    of: 'entity',
    path: '/entities/component/invoice-service',
    as: 'manager',
    heading: 'Invoice service',
    shows: '#3',
  },
  {
    name: 'promote-errors',
    path: '/entities/component/payments-api?do=promote',
    as: 'manager',
    heading: 'Payments API',
    shows: '3 files in',
    async act(page) {
      await page.getByRole('button', { name: 'Add a secret' }).click()
      await page.getByRole('textbox', { name: 'Name 1' }).fill('not a key')
      await page.getByRole('textbox', { name: 'Memory limit' }).fill('1gb')
      await page.getByText('keys have letters').waitFor()
    },
  },
  {
    name: 'entity-deprecated',
    of: 'entity',
    path: '/entities/component/legacy-billing',
    heading: 'Billing (old)',
    shows: '3.20.0',
  },
  {
    name: 'entity-of-others',
    of: 'entity',
    path: '/entities/component/shipping-api',
    heading: 'Shipping API',
    shows: 'Production',
  },
  {
    name: 'api',
    path: '/entities/api/payments-http',
    heading: 'Payments over HTTP',
    shows: 'openapi',
  },
  {
    name: 'reference',
    path: '/entities/api/payments-http/definition',
    heading: 'Payments over HTTP',
    act: (page) => page.frameLocator('iframe').getByText('Refund a payment').waitFor(),
  },
  {
    name: 'definition',
    path: '/entities/api/fraud-signals/definition',
    heading: 'Fraud signals',
    shows: 'asyncapi: 3.0.0',
  },
  {
    name: 'group',
    path: '/entities/group/payments',
    heading: 'Payments',
    shows: 'you are in it',
    act: (page) => page.getByText('Fraud signals').first().waitFor(),
  },
  {
    name: 'system',
    of: 'group',
    path: '/entities/system/checkout',
    heading: 'Checkout',
    shows: 'Parts',
  },
  {
    name: 'entity-missing',
    path: '/entities/component/paymets-api',
    heading: 'paymets-api',
    shows: 'Did you mean',
  },
  {
    name: 'promote',
    path: '/entities/component/payments-api?do=promote',
    as: 'manager',
    heading: 'Payments API',
    shows: 'newTag: 1.5.0-rc.3',
  },
  {
    name: 'promote-refused',
    of: 'promote',
    path: '/entities/component/payments-api?do=promote',
    heading: 'Payments API',
    act: (page) =>
      page
        .getByRole('dialog')
        .getByText(/^Needs platform-team/)
        .waitFor(),
  },
  {
    name: 'release',
    of: 'promote',
    path: '/entities/component/ledger?do=release&environment=production',
    as: 'manager',
    heading: 'Ledger',
    async act(page) {
      const image = page.getByRole('combobox', { name: 'Version' })
      await image.selectOption({ label: '4.12.0, as in staging' })
      await page.getByText('newTag: 4.12.0').waitFor()
    },
  },
  {
    name: 'rollback',
    of: 'promote',
    path: '/entities/component/payments-api?do=rollback&environment=dev',
    heading: 'Payments API',
    async act(page) {
      await page.getByRole('combobox', { name: 'Back to' }).selectOption({ index: 1 })
      await page.getByText('newTag: 1.5.0-rc.1').waitFor()
    },
  },
  {
    name: 'deprecate',
    of: 'promote',
    path: '/entities/component/ledger?do=deprecate',
    as: 'manager',
    heading: 'Ledger',
    act: (page) => page.getByRole('textbox', { name: 'Reason' }).waitFor(),
  },
  {
    name: 'palette',
    path: '/catalog',
    heading: 'Catalog',
    shows: 'Payments API',
    async act(page) {
      await page.keyboard.press('ControlOrMeta+k')
      await page.getByRole('combobox').fill('ledger')
      await page.getByRole('option', { name: /Ledger queries/ }).waitFor()
    },
  },
  {
    name: 'keys',
    path: '/catalog',
    heading: 'Catalog',
    shows: 'Payments API',
    async act(page) {
      await page.keyboard.press('?')
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'person',
    path: '/problems',
    heading: 'Problems',
    shows: 'deficient indentation',
    act: (page) => page.getByRole('button', { name: /Dana Okafor/ }).click(),
  },
  { name: 'audit-of-a-team', of: 'audit', path: '/audit', heading: 'Audit', shows: 'No records' },
  { name: 'new', path: '/new', heading: 'New project', shows: 'Bun HTTP service' },
  {
    name: 'new-errors',
    path: '/new/bun-service',
    heading: 'Bun HTTP service',
    async act(page) {
      const name = page.getByRole('textbox', { name: 'Name', exact: true })
      await name.fill('refund-api')
      await page.getByText('README.md', { exact: true }).click()
      await name.fill('Refund')
      await page.getByRole('button', { name: 'Start the project' }).click()
      await page.getByText('These are the files from before').waitFor()
    },
  },
  {
    name: 'run',
    path: '/new/static-site',
    heading: /^site-/,
    async act(page) {
      const name = page.getByRole('textbox', { name: 'Name', exact: true })
      // A name is free once.
      await name.fill(`site-${Date.now().toString(36)}`)
      await page.getByRole('button', { name: 'Start the project' }).click()
      await page.getByRole('heading', { name: 'What to do next' }).waitFor()
    },
  },
  {
    name: 'clusters',
    path: '/clusters',
    as: 'platform',
    heading: 'Clusters',
    shows: /refuses connections/,
  },
  { name: 'namespace', path: NAMESPACE, heading: 'payments-dev', shows: 'ImagePullBackOff' },
  {
    name: 'workload',
    path: `${NAMESPACE}/workloads/deployment/payments-api`,
    heading: 'payments-api',
    shows: 'the desired replica count',
  },
  {
    name: 'restart-question',
    path: NAMESPACE,
    heading: 'payments-dev',
    shows: 'ImagePullBackOff',
    act: (page) => page.getByRole('button', { name: 'Restart checkout-web' }).click(),
  },
  {
    name: 'pod',
    path: `${NAMESPACE}?q=ledger`,
    heading: /^ledger-/,
    async act(page) {
      await page
        .getByRole('region', { name: 'Pods' })
        .getByRole('link', { name: /^ledger-.*-/ })
        .first()
        .click()
      await page.getByRole('combobox', { name: 'Container' }).selectOption('postgres-proxy')
      await page.getByRole('log').getByText('closed after').first().waitFor()
    },
  },
  { name: 'run-missing', path: NO_RUN, heading: /./, shows: 'There is no such run' },
  {
    name: 'namespace-empty',
    of: 'namespace',
    path: `${NAMESPACE}?q=zzz`,
    heading: 'payments-dev',
    shows: 'Nothing matches',
  },
  {
    name: 'namespace-refused',
    of: 'namespace',
    path: '/clusters/dev-east/shipping-dev',
    heading: 'shipping-dev',
    shows: 'You may not look into shipping-dev',
  },
  {
    name: 'pod-gone',
    of: 'run-missing',
    path: `${NAMESPACE}/pods/payments-api-gone`,
    heading: 'payments-api-gone',
    shows: 'This pod is gone',
  },
  {
    name: 'new-missing',
    of: 'run-missing',
    path: '/new/nothing',
    heading: /./,
    shows: 'no such template',
  },
]

/** Waits for the content of a page that has been opened, and brings it into the state. */
export async function reach(page: Page, { shows, act }: PageState): Promise<void> {
  if (shows !== undefined) await page.getByText(shows).first().waitFor()
  await act?.(page)
}
