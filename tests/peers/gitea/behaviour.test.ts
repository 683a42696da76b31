import { afterAll, describe, expect, test } from 'bun:test'
import {
  askUntil,
  type FakeServer,
  openFakeServer,
  openRepository,
  realGitea,
  type TestRepository,
  type Told,
} from './server-under-test.ts'

const UNKNOWN = '1234567890123456789012345678901234567890'
const SEED = { 'README.md': 'hello\n', 'catalog/a.yaml': 'a: 1\n', 'catalog/deep/b.yaml': 'b: 1\n' }
const CHANGE = { branch: 'main', message: 'Change' }
const create = (path: string) => ({ operation: 'create', path, content: 'eA==' })

/** What Gitea does and no document says. Each server does it: the fake always, a real one where the environment names it. */
const real = realGitea()
let fake: FakeServer | undefined
const servers = [
  ['the fake Gitea', async () => (fake ??= await openFakeServer())] as const,
  ...(real === undefined ? [] : [['a real Gitea', async () => real] as const]),
]
afterAll(() => fake?.[Symbol.asyncDispose]())

const messageOf = (told: Told) => String(told.at('message'))

describe.each(servers)('%s', (_name, server) => {
  const open = async (seed: Readonly<Record<string, string>> | null = SEED) =>
    await openRepository(await server(), seed)
  const tip = async (at: TestRepository, branch = 'main') =>
    String((await at.ask('GET', `/branches/${branch}`)).at('commit.id'))
  const pushTo = async (at: TestRepository, branch: string) => {
    await at.git(['init', '--quiet', '--bare'])
    await at.git(['fetch', '--quiet', at.remote, 'main:main'])
    const tree = (await at.git(['rev-parse', 'main^{tree}'])).trim()
    const commit = (await at.git(['commit-tree', tree, '-p', 'main', '-m', 'Push'])).trim()
    return await at.git(['push', at.remote, `${commit}:refs/heads/${branch}`]).then(
      () => 'pushed',
      (error: unknown) => String(error),
    )
  }

  test('a lost race for a branch is 403, the status of a protected branch', async () => {
    await using at = await open()
    const told = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        at.ask('POST', '/contents', { ...CHANGE, files: [create(`race-${index}`)] }),
      ),
    )
    const lost = told.filter(({ status }) => status === 403)
    expect(told.filter(({ status }) => status === 201).length).toBe(8 - lost.length)
    expect(lost.length).toBeGreaterThan(0)
    for (const each of lost) {
      expect(messageOf(each)).toMatch(/cannot lock ref .* is at [0-9a-f]{40} but expected/)
    }
  })

  test('files change by compare-and-swap of each, and all refusals but one are 422', async () => {
    await using at = await open()
    await at.write('topic', { t: 't' }, 'main')
    const change = async (more: object) =>
      (await at.ask('POST', '/contents', { ...CHANGE, ...more })).status
    const stale = { operation: 'update', path: 'README.md', content: 'eA==', sha: UNKNOWN }
    expect(await change({ files: [stale] })).toBe(422)
    expect(await change({ files: [create('README.md')] })).toBe(422)
    expect(await change({ new_branch: 'topic', files: [create('x')] })).toBe(422)
    expect(await change({ files: [create('../x')] })).toBe(500)
  })

  test('a file made by the API is not executable', async () => {
    await using at = await open()
    const listed = await at.ask('GET', '/git/trees/main?recursive=true')
    expect(listed.at('tree.mode')).toStrictEqual(['100644', '040000', '100644', '040000', '100644'])
  })

  test('an empty repository answers each question with another status', async () => {
    await using at = await open(null)
    const branches = await at.ask('GET', '/branches')
    expect([branches.status, branches.text.trim()]).toStrictEqual([200, 'null'])
    const status = async (path: string) => (await at.ask('GET', path)).status
    expect(await status('/branches/main')).toBe(404)
    expect(await status('/commits')).toBe(409)
    expect(await status('/git/trees/main')).toBe(400)
    expect(await status('/git/refs')).toBe(404)
    expect(await status('/git/commits/main')).toBe(404)
    expect(await status('/pulls')).toBe(404)
    expect(await status('/raw/README.md')).toBe(404)
    expect(await status('/archive/main.tar.gz')).toBe(404)
    expect(await status('/releases')).toBe(200)
    expect((await at.ask('GET', '')).at('empty')).toBe(true)
  })

  test('references are found by prefix, and always in a list', async () => {
    await using at = await open()
    await at.write('mainly', { m: 'm' }, 'main')
    const names = async (text: string) => (await at.ask('GET', `/git/refs/${text}`)).at('ref')
    expect(await names('heads/mai')).toStrictEqual(['refs/heads/main', 'refs/heads/mainly'])
    expect(await names('heads/main')).toStrictEqual(['refs/heads/main', 'refs/heads/mainly'])
    expect(await names('heads/mainl')).toStrictEqual(['refs/heads/mainly'])
    expect((await at.ask('GET', '/git/refs/heads/nope')).status).toBe(404)
  })

  test('a tree comes in pages, under the id of its commit', async () => {
    await using at = await open()
    const commit = await tip(at)
    const page = async (number: number) =>
      await at.ask('GET', `/git/trees/${commit}?recursive=true&per_page=2&page=${number}`)
    const [first, last, beyond] = [await page(1), await page(3), await page(4)]
    expect([first.at('sha'), first.at('total_count')]).toStrictEqual([commit, 5])
    expect([first.at('truncated'), last.at('truncated')]).toStrictEqual([true, false])
    expect(first.at('tree.path')).toStrictEqual(['README.md', 'catalog'])
    expect(last.at('tree.path')).toStrictEqual(['catalog/deep/b.yaml'])
    expect([beyond.at('tree'), beyond.at('truncated')]).toStrictEqual([null, false])
    const answer = await at.ask('GET', `/git/commits/${commit}?stat=false&files=false`)
    expect(answer.at('commit.tree.sha')).toBe(commit)
  })

  test('an unknown tree or blob is 400, an unknown commit 404, or 500 where it is left out', async () => {
    await using at = await open()
    const status = async (path: string) => (await at.ask('GET', path)).status
    expect(await status(`/git/trees/${UNKNOWN}`)).toBe(400)
    expect(await status(`/git/blobs/${UNKNOWN}`)).toBe(400)
    expect(await status(`/git/commits/${UNKNOWN}`)).toBe(404)
    expect(await status(`/commits?sha=${UNKNOWN}`)).toBe(404)
    expect(await status(`/commits?sha=main&not=${UNKNOWN}`)).toBe(500)
    expect(await status(`/compare/main...${UNKNOWN}`)).toBe(404)
    expect(await status(`/archive/${UNKNOWN}.tar.gz`)).toBe(500)
  })

  test('any object is a blob', async () => {
    await using at = await open()
    const listed = await at.ask('GET', '/git/trees/main')
    const [, tree] = listed.at('tree.sha') as readonly string[]
    expect((await at.ask('GET', `/git/blobs/${tree}`)).status).toBe(200)
  })

  test('a raw file has an entity tag, an archive a link to its commit and none', async () => {
    await using at = await open()
    const raw = await at.ask('GET', '/raw/README.md')
    const tag = raw.headers.get('etag') ?? ''
    expect(raw.text).toBe('hello\n')
    const again = { headers: { 'if-none-match': tag } }
    expect((await at.ask('GET', '/raw/README.md', undefined, again)).status).toBe(304)
    const archive = await at.ask('GET', '/archive/main.tar.gz')
    expect(archive.headers.get('etag')).toBeNull()
    const link = /rev=([0-9a-f]{40})>; rel="immutable"/.exec(archive.headers.get('link') ?? '')
    expect(link?.[1]).toBe(await tip(at))
    expect((await at.ask('GET', '/archive/main.tar.gz?path=nope')).status).toBe(400)
    expect((await at.ask('GET', '/git/commits/main')).headers.get('etag')).toBeNull()
  })

  test('a branch moves by compare-and-swap; stale and not fast-forward are 422', async () => {
    await using at = await open()
    const before = await tip(at)
    const after = await at.write('topic', { t: 't' }, 'main')
    const move = async (request: object) => (await at.ask('PUT', '/branches/topic', request)).status
    expect(await move({ new_commit_id: before, old_commit_id: UNKNOWN })).toBe(422)
    expect(await move({ new_commit_id: before, old_commit_id: after })).toBe(422)
    expect(await move({ new_commit_id: before, old_commit_id: after, force: true })).toBe(204)
    expect((await at.ask('PUT', '/branches/nope', { new_commit_id: before })).status).toBe(404)
    expect(await tip(at, 'topic')).toBe(before)
  })

  test('two branches cannot be each other’s folder', async () => {
    await using at = await open()
    const make = async (name: string) =>
      (await at.ask('POST', '/branches', { new_branch_name: name, old_ref_name: 'main' })).status
    expect([await make('a/b'), await make('a/b'), await make('a/b/c')]).toStrictEqual([
      201, 409, 409,
    ])
    expect(await pushTo(at, 'a')).toMatch(/remote rejected\].*failed to update ref/)
  })

  test('the history of a path ignores the limit but in its links, and is 404 without commits', async () => {
    await using at = await open()
    const of = async (text: string) => await at.ask('GET', `/commits?${text}`)
    await at.write('main', { 'catalog/c.yaml': 'c' })
    const first = await of('sha=main&path=catalog&limit=1')
    expect(first.at('length')).toBe(2)
    expect(first.headers.get('link')).toContain('rel="next"')
    const second = await of('sha=main&path=catalog&limit=1&page=2')
    expect([second.status, second.at('length')]).toStrictEqual([200, 0])
    expect((await of('sha=main&path=absent')).status).toBe(404)
    expect((await of(`sha=${UNKNOWN}&path=catalog`)).status).toBe(500)
  })

  test('a list leads to its next page, and counts all', async () => {
    await using at = await open()
    for (const name of ['one', 'two']) {
      await at.ask('POST', '/branches', { new_branch_name: name, old_ref_name: 'main' })
    }
    const first = await at.ask('GET', '/branches?limit=2')
    expect(first.headers.get('x-total-count')).toBe('3')
    expect(first.headers.get('link')).toMatch(/branches\?limit=2&page=2>; rel="next",.*rel="last"/)
    const second = await at.ask('GET', '/branches?limit=2&page=2')
    expect(second.at('name')).toStrictEqual(['two'])
    expect(second.headers.get('link')).not.toContain('"next"')
  })

  test('a pull request is refused in five ways', async () => {
    await using at = await open()
    await at.write('topic', { t: 't' }, 'main')
    const propose = async (head: string, base = 'main', title = 'Title') =>
      await at.ask('POST', '/pulls', { head, base, title, body: 'b' })
    expect((await propose('topic')).status).toBe(201)
    const again = await propose('topic')
    expect([again.status, /already exists/.test(messageOf(again))]).toStrictEqual([409, true])
    expect((await propose('absent')).status).toBe(404)
    expect((await propose('topic', 'absent')).status).toBe(404)
    expect((await propose('main')).status).toBe(422)
    expect((await propose('topic', 'main', '')).status).toBe(422)
  })

  test('a pull request may be empty', async () => {
    await using at = await open()
    await at.ask('POST', '/branches', { new_branch_name: 'same', old_ref_name: 'main' })
    expect(await at.propose('same')).not.toBe('')
  })

  test('merging is 405 for a conflict as for what is not checked yet', async () => {
    await using at = await open()
    await at.write('topic', { clash: 'ours' }, 'main')
    await at.write('main', { clash: 'theirs' })
    const number = await at.propose('topic')
    const merge = await at.ask('POST', `/pulls/${number}/merge`, { do: 'merge' })
    expect([merge.status, messageOf(merge)]).toStrictEqual([405, 'Please try again later'])
    expect((await at.ask('GET', `/pulls/${number}`)).at('mergeable')).toBe(false)
  })

  const mergeable = async (at: TestRepository, number: string) =>
    await askUntil(
      (told) => told.at('mergeable') === true,
      () => at.ask('GET', `/pulls/${number}`),
    )

  test('merging is 409 for a stale head, 405 when it was merged', async () => {
    await using at = await open()
    await at.write('topic', { t: 't' }, 'main')
    const number = await at.propose('topic')
    await mergeable(at, number)
    const merge = (request: object) => at.ask('POST', `/pulls/${number}/merge`, request)
    expect((await merge({ do: 'merge', head_commit_id: UNKNOWN })).status).toBe(409)
    // The refused attempt made Gitea check it again.
    await askUntil(
      ({ status }) => status === 200,
      () => merge({ do: 'merge' }),
    )
    expect((await merge({ do: 'merge' })).status).toBe(405)
    const told = await at.ask('GET', `/pulls/${number}`)
    expect([told.at('state'), told.at('merged'), told.at('merge_commit_sha')]).toStrictEqual([
      'closed',
      true,
      await tip(at),
    ])
    expect((await at.ask('PATCH', `/pulls/${number}`, { state: 'open' })).status).toBe(412)
  })

  test.each(['squash', 'rebase'])('a pull request merged by %s has the new commit', async (way) => {
    await using at = await open()
    await at.write('topic', { t: 't' }, 'main')
    const number = await at.propose('topic')
    await at.write('main', { m: 'm' })
    await mergeable(at, number)
    await askUntil(
      ({ status }) => status === 200,
      () => at.ask('POST', `/pulls/${number}/merge`, { do: way }),
    )
    const told = await at.ask('GET', `/pulls/${number}`)
    expect([told.at('merged'), told.at('merge_commit_sha')]).toStrictEqual([true, await tip(at)])
    expect(await tip(at)).not.toBe(told.at('head.sha'))
  })

  test('a branch that was deleted is only in the label', async () => {
    await using at = await open()
    const head = await at.write('topic', { t: 't' }, 'main')
    const number = await at.propose('topic')
    await at.ask('PATCH', `/pulls/${number}`, { state: 'closed' })
    expect((await at.ask('DELETE', '/branches/topic')).status).toBe(204)
    const told = await at.ask('GET', `/pulls/${number}`)
    expect([told.at('head.ref'), told.at('head.label'), told.at('head.sha')]).toStrictEqual([
      `refs/pull/${number}/head`,
      'topic',
      head,
    ])
    expect((await at.ask('GET', '/pulls?state=open')).at('number')).toStrictEqual([])
    expect((await at.ask('GET', '/pulls?state=closed')).at('number')).toStrictEqual([
      Number(number),
    ])
  })

  test('pull requests come newest first, and the newest one of a head and base', async () => {
    await using at = await open()
    await at.write('topic', { t: 't' }, 'main')
    const first = await at.propose('topic')
    await at.ask('PATCH', `/pulls/${first}`, { state: 'closed' })
    const second = await at.propose('topic')
    const listed = await at.ask('GET', '/pulls?state=all')
    expect(listed.at('number')).toStrictEqual([Number(second), Number(first)])
    expect((await at.ask('GET', '/pulls?state=all&base_branch=other')).at('')).toStrictEqual([])
  })

  test('a protected branch is 403 for the API and a declined hook for git', async () => {
    await using at = await open()
    await at.ask('POST', '/branch_protections', { rule_name: 'main', enable_push: false })
    const told = await at.ask('POST', '/contents', { ...CHANGE, files: [create('x')] })
    expect([told.status, messageOf(told)]).toStrictEqual([
      403,
      expect.stringMatching(/^user cannot commit to repo/),
    ])
    const pushed = await pushTo(at, 'main')
    expect(pushed).toMatch(/remote: error: Not allowed to push to protected branch main/)
    expect(pushed).toMatch(/remote rejected\].*pre-receive hook declined/)
    expect(await pushTo(at, 'other')).toBe('pushed')
    expect((await at.ask('GET', '/branches/main')).at('protected')).toBe(true)
  })

  test('a release takes the same file name twice, and gives parts of a file to who may see it', async () => {
    await using at = await open()
    const made = await at.ask('POST', '/releases', { tag_name: 'v1', target_commitish: 'main' })
    const assets = `/releases/${String(made.at('id'))}/assets`
    const upload = async () => {
      const form = new FormData()
      form.append('attachment', new Blob(['content']), 'tool')
      return await at.ask('POST', `${assets}?name=tool`, form)
    }
    expect([(await upload()).status, (await upload()).status]).toStrictEqual([201, 201])
    expect((await at.ask('GET', '/releases')).at('assets.name')).toStrictEqual([['tool', 'tool']])
    const url = String((await at.ask('GET', '/releases')).at('0.assets.0.browser_download_url'))
    expect((await fetch(url)).status).toBe(404)
    const headers = { authorization: `token ${at.server.token}`, range: 'bytes=2-4' }
    const part = await fetch(url, { headers })
    expect([part.status, await part.text()]).toStrictEqual([206, 'nte'])
    expect((await at.ask('GET', `${assets}/999999`)).status).toBe(404)
  })

  test('an unknown label is left out without a word, an unknown reviewer is 404', async () => {
    await using at = await open()
    await at.write('topic', { t: 't' }, 'main')
    const number = await at.propose('topic')
    await at.ask('POST', '/labels', { name: 'portico', color: '#00ff00' })
    const label = async (labels: readonly string[]) =>
      (await at.ask('POST', `/issues/${number}/labels`, { labels })).at('name')
    expect(await label(['nope'])).toStrictEqual([])
    expect(await label(['portico'])).toStrictEqual(['portico'])
    const review = async (request: object) =>
      (await at.ask('POST', `/pulls/${number}/requested_reviewers`, request)).status
    expect(await review({ reviewers: ['nobody-at-all'] })).toBe(404)
    expect(await review({ team_reviewers: ['nobody-at-all'] })).toBe(404)
  })

  test('a default branch that is unknown is ignored without a word', async () => {
    await using at = await open()
    const told = await at.ask('PATCH', '', { default_branch: 'nope', description: 'new' })
    expect([told.status, told.at('default_branch'), told.at('description')]).toStrictEqual([
      200,
      'main',
      'new',
    ])
    expect((await at.ask('PUT', '/topics', { topics: ['fine', 'not fine'] })).status).toBe(422)
    expect((await at.ask('PUT', '/teams/nobody-at-all')).status).toBe(404)
  })

  test('a renamed repository is 301, an archived one 423 and 403 for git', async () => {
    await using at = await open()
    await at.write('topic', { t: 't' }, 'main')
    const { organisation } = at.server
    const renamed = `${at.name}-2`
    await at.ask('PATCH', '', { name: renamed })
    const told = await at.ask('GET', '/git/refs/heads/main')
    expect([told.status, told.headers.get('location')]).toStrictEqual([
      301,
      `/api/v1/repos/${organisation}/${renamed}/git/refs/heads/main`,
    ])
    const pull = { head: 'topic', base: 'main', title: 'Title' }
    expect((await at.ask('POST', '/pulls', pull)).status).toBe(301)
    const there = `/repos/${organisation}/${renamed}`
    await at.askServer('PATCH', there, { archived: true })
    expect((await at.askServer('POST', `${there}/pulls`, pull)).status).toBe(423)
    await at.askServer('PATCH', there, { archived: false, name: at.name })
  })

  test('a push that git refuses is 403 for an archived repository', async () => {
    await using at = await open()
    await at.ask('PATCH', '', { archived: true })
    expect(await pushTo(at, 'main')).toMatch(/archived[^]*error: 403/)
    await at.ask('PATCH', '', { archived: false })
  })

  test('a refused token is 401, a name that is taken 409, an unknown owner 404', async () => {
    await using at = await open()
    expect((await at.ask('GET', '', undefined, { token: 'refused' })).status).toBe(401)
    const create = async (owner: string, name: string) =>
      (await at.askServer('POST', `/orgs/${owner}/repos`, { name })).status
    expect(await create(at.server.organisation, at.name)).toBe(409)
    expect(await create(at.server.organisation, 'has space')).toBe(422)
    expect(await create(at.server.organisation, 'x.wiki')).toBe(422)
    expect(await create('nobody-at-all', 'x')).toBe(404)
  })
})
