import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { MergePolicy } from '#src/lib/ports/forge.ts'
import { BranchName } from '#src/lib/names.ts'
import { type ChangedFiles, commitFiles, openPull } from '#tests/support/commit-files.ts'
import { attributesOf, textsOf } from '#tests/support/page-markup.ts'
import {
  GITOPS,
  openPortal,
  type Person,
  type TestPortal,
  sharedPortal,
} from '#tests/support/portal.ts'
import { valueOf } from '#tests/support/value-of.ts'
import { auditRows } from '#tests/support/audit-rows.ts'

const PULLS = '/git/acme/gitops/pulls'
const JSON_ONLY = { accept: 'application/json' }
const ANN = { name: 'Ann', email: 'ann@acme.example' }

/** Newer than the commits of the host: git begins with the newest of several merge bases. */
const DATED = {
  ...process.env,
  GIT_AUTHOR_NAME: 'Ann',
  GIT_AUTHOR_EMAIL: 'ann@acme.example',
  GIT_AUTHOR_DATE: '@4000000000 +0000',
  GIT_COMMITTER_NAME: 'Ann',
  GIT_COMMITTER_EMAIL: 'ann@acme.example',
  GIT_COMMITTER_DATE: '@4000000000 +0000',
}

/** A pull request of one file. */
async function propose(
  { host }: TestPortal,
  name: string,
  file = `notes/${name}.md`,
  author = ANN,
  text = name,
): Promise<number> {
  valueOf(await commitFiles(host, GITOPS, { [file]: text }, { branch: name, author }))
  return openPull(host, GITOPS, { branch: name, author })
}

/** Another commit on the branch of a pull request. */
const pushTo = ({ host }: TestPortal, branch: string, text: string) =>
  commitFiles(host, GITOPS, { 'notes/more.md': text }, { branch })

const post = (portal: TestPortal, as: Person, address: string, fields = {}) =>
  portal.request(address, {
    method: 'POST',
    as,
    headers: JSON_ONLY,
    body: new URLSearchParams(fields),
    undocumented: true,
  })

const act = (portal: TestPortal, as: Person, number: number, name: string, fields = {}) =>
  post(portal, as, `${PULLS}/${number}/${name}`, fields)

const codeOf = async (response: Response): Promise<string> =>
  response.ok ? `${response.status}` : ((await response.json()) as { code: string }).code

const page = async (portal: TestPortal, as: Person, address: string) =>
  (
    await portal.request(address, { as, headers: { accept: 'text/html' }, undocumented: true })
  ).text()

/** Audit rows of a pull request, the first one first. */
async function trail(portal: TestPortal, number: number) {
  const rows = await auditRows(portal, 'action=pull_request')
  return rows
    .filter(({ target }) => target === `pull_request/acme/gitops/${number}`)
    .map(({ action, result, code, actor }) => [actor.subject, action, result, code])
}

const mergeCommits = async ({ repository }: TestPortal) =>
  (await Bun.$`git -C ${repository} log --first-parent --merges --format=%s main`.text())
    .trim()
    .split('\n')

const portal = sharedPortal()

const open = (policy: Partial<MergePolicy>, environment: Readonly<Record<string, string>> = {}) =>
  openPortal({
    environment,
    policy: { role: 'platform', gitopsRole: 'platform', approvals: 0, ...policy },
  })

describe('a merge', () => {
  test.each(['dev', 'manager', 'outsider'] as const)(
    'by %s is refused, and in the audit trail',
    async (person) => {
      const number = await propose(portal(), `refused-${person}`)
      for (const name of ['merge', 'close', 'approve']) {
        expect(await codeOf(await act(portal(), person, number, name))).toBe('forbidden')
      }
      expect(await trail(portal(), number)).toStrictEqual(
        ['merge', 'close', 'approve'].map((name) => [
          person,
          `pull_request.${name}`,
          'denied',
          'forbidden',
        ]),
      )
    },
  )

  test('is in the audit trail, and in the next answer', async () => {
    const file = 'catalog/payments/components/merged.yaml'
    const look = () => portal().request('/api/v1/catalog/entities/component/merged', { as: 'dev' })
    expect((await look()).status).toBe(404)
    const number = await propose(portal(), 'merged', file)
    const entity = `apiVersion: portico/v1\nkind: Component\nmetadata:\n  name: merged\nspec:\n  type: service\n  lifecycle: development\n  owner: group:acme/payments\n`
    valueOf(await commitFiles(portal().host, GITOPS, { [file]: entity }, { branch: 'merged' }))
    expect(await codeOf(await act(portal(), 'platform', number, 'merge'))).toBe('200')
    expect((await look()).status).toBe(200)
    expect(await trail(portal(), number)).toStrictEqual([
      ['platform', 'pull_request.merge', 'done', null],
    ])
  })

  test('of two people at once happens once', async () => {
    const number = await propose(portal(), 'twice')
    const before = await mergeCommits(portal())
    const both = await Promise.all([
      act(portal(), 'platform', number, 'merge'),
      act(portal(), 'platform', number, 'merge'),
    ])
    expect((await Promise.all(both.map(codeOf))).toSorted()).toStrictEqual([
      '200',
      'pull_request_not_open',
    ])
    expect(await mergeCommits(portal())).toHaveLength(before.length + 1)
  })

  test('takes what was looked at, whatever is pushed meanwhile', async () => {
    for (let round = 0; round < 5; round += 1) {
      const name = `moving-${round}`
      const number = await propose(portal(), name)
      const { pullRequest } = valueOf(await portal().host.review(GITOPS, number))
      const head = pullRequest.head.commit
      const [merged] = await Promise.all([
        act(portal(), 'platform', number, 'merge', { head }),
        pushTo(portal(), name, `pushed meanwhile ${round}`),
      ])
      const code = await codeOf(merged)
      expect(['200', 'pull_request_head_moved']).toContain(code)
      const { state, mergeCommit } = valueOf(await portal().host.review(GITOPS, number)).pullRequest
      if (code !== '200') {
        expect(state).toBe('open')
        continue
      }
      const second = await Bun.$`git -C ${portal().repository} rev-parse ${mergeCommit}^2`.text()
      expect(second.trim()).toBe(head)
    }
  })

  test('of what has changed since is refused', async () => {
    const number = await propose(portal(), 'seen')
    const { pullRequest } = valueOf(await portal().host.review(GITOPS, number))
    valueOf(await pushTo(portal(), 'seen', 'more'))
    const fields = { head: pullRequest.head.commit }
    for (const name of ['merge', 'approve']) {
      expect(await codeOf(await act(portal(), 'platform', number, name, fields))).toBe(
        'pull_request_head_moved',
      )
    }
  })

  test('is refused to somebody whose groups have just shrunk', async () => {
    await using own = await open({})
    const number = await propose(own, 'shrunk')
    await own.signIn('platform')
    own.provider.groups.platform = []
    own.clock.advance(301_000)
    expect(await codeOf(await act(own, 'platform', number, 'merge'))).toBe('forbidden')
    expect(valueOf(await own.host.review(GITOPS, number)).pullRequest.state).toBe('open')
    expect(own.provider.asked).toStrictEqual(['platform'])
  })

  test('is not made while nobody can say who is in a group', async () => {
    await using own = await open({})
    const number = await propose(own, 'unknown')
    await own.signIn('platform')
    own.provider.failure = { kind: 'identity_unreachable' }
    own.clock.advance(301_000)
    expect(await codeOf(await act(own, 'platform', number, 'merge'))).toBe('identity_unreachable')
    expect(valueOf(await own.host.review(GITOPS, number)).pullRequest.state).toBe('open')
  })

  test('cannot be made by another site, nor by a form of another type', async () => {
    const number = await propose(portal(), 'foreign')
    const send = (init: RequestInit) =>
      portal().request(`${PULLS}/${number}/merge`, {
        method: 'POST',
        as: 'platform',
        undocumented: true,
        ...init,
      })
    const foreign = await send({ headers: { 'sec-fetch-site': 'cross-site' } })
    expect(await codeOf(foreign)).toBe('cross_site_request')
    const other = await send({ headers: { origin: 'https://evil.example' } })
    expect(await codeOf(other)).toBe('cross_site_request')
    const text = await send({ headers: { 'content-type': 'text/plain' }, body: 'head=x' })
    expect(await codeOf(text)).toBe('unsupported_media_type')
  })
})

describe('managers of a team', () => {
  let own: TestPortal
  beforeAll(async () => {
    own = await open({ gitopsRole: 'manager' })
  })
  afterAll(() => own[Symbol.asyncDispose]())

  test('merge what changes the folders of their team alone', async () => {
    const number = await propose(own, 'ours', 'apps/payments/shop/base/x.yaml')
    expect(await codeOf(await act(own, 'dev', number, 'merge'))).toBe('forbidden')
    expect(await codeOf(await act(own, 'manager', number, 'merge'))).toBe('200')
    const listed = await own.request('/api/v1/audit?team=payments', { as: 'manager' })
    expect(await listed.json()).toContainEqual(
      expect.objectContaining({
        action: 'pull_request.merge',
        result: 'done',
        groups: ['payments:Managers'],
      }),
    )
  })

  test.each(['CODEOWNERS', 'apps/shipping/shop/base/x.yaml'])('not %s', async (file) => {
    const number = await propose(own, `not-${file.length}`, file)
    expect(await codeOf(await act(own, 'manager', number, 'merge'))).toBe('forbidden')
  })

  test('not what a push adds to what they have seen', async () => {
    const number = await propose(own, 'grown', 'apps/payments/shop/base/y.yaml')
    valueOf(await pushTo(own, 'grown', 'elsewhere'))
    expect(await codeOf(await act(own, 'manager', number, 'merge'))).toBe('forbidden')
  })

  const OURS = 'apps/payments/shop/base/moved.yaml'
  const THEIRS = 'apps/shipping/shop/base/moved.yaml'

  const toMain = async (changes: ChangedFiles) =>
    valueOf(await commitFiles(own.host, GITOPS, changes)).commit

  const inOwn = async (...args: readonly string[]) =>
    (await Bun.$`git --git-dir=${own.repository} ${args}`.env(DATED).quiet().text()).trim()

  test('not what the default branch has moved to another team', async () => {
    const text = Array.from({ length: 20 }, (_, line) => `line: ${line}\n`).join('')
    await toMain({ [OURS]: text })
    const number = await propose(own, 'followed', OURS, ANN, `${text}mine: 1\n`)
    await toMain({ [OURS]: null, [THEIRS]: text })
    const merged = await act(own, 'manager', number, 'merge')
    expect(await merged.json()).toMatchObject({ code: 'merge_conflict', paths: [THEIRS] })
    // The platform team merges into every folder.
    expect(await codeOf(await act(own, 'platform', number, 'merge'))).toBe('200')
  })

  test('not what merges in both directions hide', async () => {
    const start = await toMain({ [THEIRS]: 'old' })
    const next = await toMain({ [THEIRS]: 'new' })
    const tree = `${start}^{tree}`
    const first = await inOwn('commit-tree', '-p', start, '-m', 'first', tree)
    const both = await inOwn('commit-tree', '-p', next, '-p', first, '-m', 'both', `${next}^{tree}`)
    await inOwn('update-ref', 'refs/heads/main', both, next)
    const hidden = await inOwn('commit-tree', '-p', first, '-p', next, '-m', 'hidden', tree)
    await inOwn('update-ref', 'refs/heads/hidden', hidden)
    const number = await propose(own, 'hidden', OURS)
    const merged = await act(own, 'manager', number, 'merge')
    expect(await merged.json()).toMatchObject({ code: 'merge_conflict', paths: [THEIRS] })
    expect(await inOwn('show', `main:${THEIRS}`)).toBe('new')
  })
})

describe('approvals', () => {
  let own: TestPortal
  beforeAll(async () => {
    own = await open({ gitopsRole: 'manager', approvals: 1 })
  })
  afterAll(() => own[Symbol.asyncDispose]())

  const file = (name: string) => `apps/payments/shop/${name}`

  test('are needed for a merge', async () => {
    const number = await propose(own, 'needs', file('needs'))
    const refused = await act(own, 'platform', number, 'merge')
    expect(await refused.json()).toMatchObject({
      code: 'approvals_missing',
      approvals: 0,
      required: 1,
    })
    const shown = await page(own, 'platform', `${PULLS}/${number}`)
    expect(await textsOf(shown, '[aria-disabled]')).toStrictEqual(['Merge'])
    expect(await codeOf(await act(own, 'manager', number, 'approve'))).toBe('200')
    expect(await textsOf(await page(own, 'platform', `${PULLS}/${number}`), '.chip')).toContain(
      'Approved',
    )
    expect(await codeOf(await act(own, 'platform', number, 'merge'))).toBe('200')
    expect(await trail(own, number)).toStrictEqual([
      ['platform', 'pull_request.merge', 'failed', 'forge_approvals_missing'],
      ['manager', 'pull_request.approve', 'done', null],
      ['platform', 'pull_request.merge', 'done', null],
    ])
  })

  test('are of the last commit', async () => {
    const number = await propose(own, 'dismissed', file('dismissed'))
    expect(await codeOf(await act(own, 'platform', number, 'approve'))).toBe('200')
    valueOf(await pushTo(own, 'dismissed', 'and more'))
    expect(await codeOf(await act(own, 'platform', number, 'merge'))).toBe('approvals_missing')
  })

  test('of one person count once', async () => {
    await using two = await open({ approvals: 2 })
    const number = await propose(two, 'once')
    for (let time = 0; time < 2; time += 1) {
      expect(await codeOf(await act(two, 'platform', number, 'approve'))).toBe('200')
    }
    expect(await codeOf(await act(two, 'platform', number, 'merge'))).toBe('approvals_missing')
  })

  test('are not given by whoever may not merge', async () => {
    const number = await propose(own, 'elsewhere', 'CODEOWNERS')
    expect(await codeOf(await act(own, 'manager', number, 'approve'))).toBe('forbidden')
  })

  test('are not given by whoever has opened it', async () => {
    const author = { name: 'manager', email: 'MANAGER@acme.example' }
    const number = await propose(own, 'own', file('own'), author)
    expect(await codeOf(await act(own, 'manager', number, 'approve'))).toBe('own_pull_request')
    const shown = await page(own, 'manager', `${PULLS}/${number}`)
    expect(await textsOf(shown, '[aria-disabled]')).toStrictEqual(['Merge', 'Approve'])
    expect(await trail(own, number)).toStrictEqual([
      ['manager', 'pull_request.approve', 'denied', 'forge_own_pull_request'],
    ])
  })

  test('nor by the author of one of its commits, nor by whoever has opened it by a page', async () => {
    const number = await propose(own, 'joined', file('joined'))
    const author = { name: 'x', email: 'manager@acme.example' }
    const more = { [file('joined-too')]: 'x' }
    valueOf(await commitFiles(own.host, GITOPS, more, { branch: 'joined', author }))
    expect(await codeOf(await act(own, 'manager', number, 'approve'))).toBe('own_pull_request')

    const fields = { base: 'main', head: 'by-page', title: 'By the page' }
    valueOf(await commitFiles(own.host, GITOPS, { [file('by-page')]: 'x' }, { branch: 'by-page' }))
    const opened = await post(own, 'platform', `${PULLS}/new`, fields)
    expect(opened.status).toBe(303)
    const second = Number(opened.headers.get('location')?.split('/').at(-1))
    expect(await codeOf(await act(own, 'platform', second, 'approve'))).toBe('own_pull_request')
    expect(await codeOf(await act(own, 'manager', second, 'approve'))).toBe('200')
  })

  test('nor by whoever has committed what somebody else wrote', async () => {
    const number = await propose(own, 'carried', file('carried'))
    const head = valueOf(await own.host.head(GITOPS, BranchName.of('carried'))).commit
    const git = async (...args: readonly string[]) =>
      (
        await Bun.$`git --git-dir=${own.repository} ${args}`
          .env({ ...DATED, GIT_COMMITTER_EMAIL: 'Manager@acme.example' })
          .quiet()
          .text()
      ).trim()
    const carried = await git('commit-tree', '-p', head, '-m', 'carried', `${head}^{tree}`)
    await git('update-ref', 'refs/heads/carried', carried, head)
    expect(await codeOf(await act(own, 'manager', number, 'approve'))).toBe('own_pull_request')
  })

  test('are what the overview says of a review', async () => {
    const number = await propose(own, 'described', file('described'))
    const open = valueOf(await own.host.findPullRequests(GITOPS, { number }))
    const review = async () =>
      (await own.host.describePullRequests(GITOPS, open)).get(number)?.review
    expect(await review()).toBe('required')
    await act(own, 'platform', number, 'approve')
    expect(await review()).toBe('approved')
  })
})

test('the forms of a page name the commit that it shows', async () => {
  const number = await propose(portal(), 'forms')
  const { head } = valueOf(await portal().host.review(GITOPS, number)).pullRequest
  const shown = await page(portal(), 'platform', `${PULLS}/${number}`)
  const forms = await attributesOf(shown, '.actions form', 'action')
  expect(forms).toStrictEqual(
    ['merge', 'approve', 'close'].map((name) => `${PULLS}/${number}/${name}`),
  )
  const heads = await attributesOf(shown, '.actions input', 'value')
  expect(new Set(heads)).toStrictEqual(new Set([head.commit]))
})
