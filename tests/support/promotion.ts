import { BranchName } from '#src/lib/names.ts'
import { applicationFiles } from './application.ts'
import { commitFiles } from './commit-files.ts'
import { GITOPS, openPortal, type Person, type TestPortal } from './portal.ts'
import { auditRows } from './audit-rows.ts'
import { valueOf } from './value-of.ts'

/** Promotes the component `shop` of the team `payments` through the API. */
export const SHOP = '/api/v1/catalog/entities/component/shop/promotion'
export const OVERLAY = 'apps/payments/shop/overlays'
export const ENTITY = 'catalog/payments/components/shop.yaml'
export const DEV_BRANCH = BranchName.of('promote/payments/shop/dev')

/** Address of the client of every request. */
export const CLIENT = '203.0.113.7'

export interface Answer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

export async function ask(
  portal: TestPortal,
  method: 'GET' | 'POST',
  suffix: string,
  as: Person,
  body?: unknown,
  app = 'shop',
): Promise<Answer> {
  const response = await portal.request(`${SHOP.replace('shop', app)}${suffix}`, {
    method,
    as,
    from: CLIENT,
    ...(body !== undefined && { json: body }),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

export const state = (portal: TestPortal, as: Person = 'dev') => ask(portal, 'GET', '', as)

export const promote = (
  portal: TestPortal,
  targetLifecycle: string,
  overlayConfig: object = {},
  as: Person = 'platform',
  query = '',
) => ask(portal, 'POST', query, as, { targetLifecycle, overlayConfig })

export const preview = (portal: TestPortal, targetLifecycle: string, overlayConfig: object = {}) =>
  promote(portal, targetLifecycle, overlayConfig, 'platform', '?dryRun=true')

export const confirm = (portal: TestPortal, as: Person = 'platform', body?: unknown) =>
  ask(portal, 'POST', '/confirm', as, body)

export const pullOf = ({ body }: Answer) =>
  body['pullRequest'] as { readonly number: number; readonly state: string }

export const warningsOf = ({ body }: Answer) =>
  (body['warnings'] as readonly { readonly code: string }[]).map(({ code }) => code)

export const git = (portal: TestPortal, ...args: readonly string[]) =>
  Bun.$`git --git-dir=${portal.repository} ${args}`.quiet().text()

export const fileAt = (portal: TestPortal, file: string, ref = 'main') =>
  git(portal, 'show', `${ref}:${file}`)

export const openShop = (facts: Parameters<typeof applicationFiles>[0] = {}) =>
  openPortal({ files: applicationFiles(facts) })

/** A commit by another person, on an existing or a new branch. */
export async function commitAs(
  portal: TestPortal,
  branch: string,
  files: Readonly<Record<string, string>>,
  message = 'Smuggle',
): Promise<void> {
  const author = { name: 'E', email: 'e@e.example' }
  valueOf(await commitFiles(portal.git, GITOPS, files, { branch, message, author }))
}

/** The audit rows that the team can read, oldest first. */
export const auditOf = (portal: TestPortal) => auditRows(portal, 'team=payments&limit=200')

/** The run of a move that had to wait, once it has ended: its pauses are over at once. */
export async function endOfMove(
  portal: TestPortal,
  { status, body }: Pick<Answer, 'status' | 'body'>,
  as: Person = 'platform',
) {
  if (status !== 202) throw new Error(`the move does not wait: ${status} ${JSON.stringify(body)}`)
  void portal.portal.start()
  const { eventsUrl } = body as { readonly eventsUrl: string }
  for (;;) {
    const answer = await portal.request(eventsUrl.replace('/events', ''), { as })
    const run = (await answer.json()) as Readonly<Record<string, unknown>>
    if (run['status'] !== 'running') return run
    // Only then: by this clock the lease of a run that is worked on would end too.
    if (JSON.stringify(run['steps']).includes('trying again')) portal.clock.advance(10_000)
    await Bun.sleep(20)
  }
}
