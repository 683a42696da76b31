import { describe, expect, test } from 'bun:test'
import {
  askUntil,
  openFakeServer,
  openRepository,
  realGitea,
  type GiteaServer,
  type TestRepository,
  type Told,
} from './server-under-test.ts'
import { differences, shapeOf } from './shape.ts'

const real = realGitea()
const SEED = { 'README.md': 'hello\n', 'catalog/a.yaml': 'a: 1\n' }
const UNKNOWN = '1234567890123456789012345678901234567890'

interface Step {
  readonly name: string
  readonly told: Told
}

/** The same requests to any server, each answer under a name. */
async function walk(server: GiteaServer): Promise<readonly Step[]> {
  await using at = await openRepository(server, SEED)
  const steps: Step[] = []
  const step = async (method: string, path: string, body?: object) => {
    const told = await at.ask(method, path, body)
    steps.push({ name: `${method} ${path.replaceAll(/[0-9a-f]{40}/g, '<id>')}`, told })
    return told
  }
  const serverStep = async (path: string) => {
    const told = await at.askServer('GET', path)
    steps.push({ name: `GET ${path}`, told })
  }
  const tip = String((await step('GET', '/branches/main')).at('commit.id'))
  await serverStep('/version')
  await serverStep('/user')
  await serverStep('/users/nobody-at-all')
  await serverStep(`/orgs/${server.organisation}`)
  await serverStep('/orgs/nobody-at-all')
  await serverStep(`/orgs/${server.organisation}/teams/search?q=nothing-of-that-name`)
  await readObjects(step, tip)
  await at.write('topic', { 'topic.txt': 't' }, 'main')
  await proposeAndMerge(at, step)
  await publish(at, step)
  await step('POST', '/branch_protections', { rule_name: 'release', enable_push: false })
  await step('GET', '/branch_protections')
  await step('GET', '/branch_protections/nope')
  await step('DELETE', '/branch_protections/release')
  await step('PUT', '/topics', { topics: ['one'] })
  await step('GET', '/topics')
  await step('PUT', '/topics', { topics: ['not fine'] })
  await step('GET', '/teams')
  await step('PUT', '/teams/nobody-at-all')
  await step('POST', '/branches', { new_branch_name: 'more', old_ref_name: 'main' })
  await step('POST', '/branches', { new_branch_name: 'more', old_ref_name: 'main' })
  await step('PUT', '/branches/more', { new_commit_id: tip, old_commit_id: UNKNOWN })
  await step('PUT', '/branches/nope', { new_commit_id: tip })
  await step('DELETE', '/branches/more')
  await step('DELETE', '/branches/more')
  await step('DELETE', '/branches/main')
  await step('PATCH', '', { description: 'new', website: 'https://portico.example.org/#x' })
  await step('PATCH', '', { archived: true })
  await step('POST', '/pulls', { head: 'topic', base: 'main', title: 'T' })
  await step('PATCH', '', { archived: false })
  return steps
}

type Take = (method: string, path: string, body?: object) => Promise<Told>

async function readObjects(step: Take, tip: string): Promise<void> {
  const listed = await step('GET', `/git/trees/${tip}?recursive=true`)
  const [blob] = listed.at('tree.sha') as readonly string[]
  await step('GET', '')
  await step('GET', '/branches?limit=1')
  await step('GET', '/git/refs')
  await step('GET', '/git/refs/heads/main')
  await step('GET', '/git/refs/heads/nope')
  await step('GET', `/git/trees/${tip}?per_page=1&page=9`)
  await step('GET', `/git/trees/${UNKNOWN}`)
  await step('GET', `/git/blobs/${blob}`)
  await step('GET', `/git/blobs/${UNKNOWN}`)
  await step('GET', '/git/blobs/short')
  await step('GET', `/git/commits/${tip}`)
  await step('GET', `/git/commits/${tip}?stat=false&verification=false&files=false`)
  await step('GET', `/git/commits/${UNKNOWN}`)
  await step('GET', '/commits?sha=main&limit=1')
  await step('GET', '/commits?sha=nope')
  await step('GET', `/commits?sha=${tip}&path=catalog&limit=1`)
  await step('GET', `/commits?sha=${tip}&path=catalog&page=2`)
  await step('GET', `/commits?sha=${tip}&path=nope`)
  await step('GET', `/commits/${tip}/pull`)
  await step('GET', '/git/refs/pull')
  await step('GET', `/raw/README.md?ref=${tip}`)
  await step('GET', '/raw/nope')
  await step('GET', '/raw/catalog')
  await step('GET', '/archive/nope.tar.gz')
  await step('GET', '/archive/main.tar.gz?path=catalog')
  await step('POST', '/contents', {
    branch: 'main',
    message: 'Change',
    files: [{ operation: 'create', path: 'README.md', content: 'eA==' }],
  })
}

async function proposeAndMerge(at: TestRepository, step: Take): Promise<void> {
  await step('GET', '/compare/main...topic')
  await step('GET', '/compare/main...nope')
  const opened = await step('POST', '/pulls', {
    head: 'topic',
    base: 'main',
    title: 'T',
    body: 'b',
  })
  const number = Number(opened.at('number'))
  await step('POST', '/pulls', { head: 'topic', base: 'main', title: 'T' })
  await step('POST', '/pulls', { head: 'nope', base: 'main', title: 'T' })
  await step('GET', `/pulls/${number}`)
  await step('GET', '/pulls/main/topic')
  await step('GET', '/pulls/main/nope')
  await step('GET', '/pulls/4711')
  await step('GET', '/pulls?state=open')
  const label = { name: 'portico', color: '#00ff00' }
  await step('POST', '/labels', label)
  await step('GET', '/labels')
  await step('POST', `/issues/${number}/labels`, { labels: ['portico'] })
  await step('POST', `/pulls/${number}/requested_reviewers`, { reviewers: ['nobody-at-all'] })
  await step('PATCH', `/pulls/${number}`, { state: 'closed' })
  await step('PATCH', `/pulls/${number}`, { state: 'open' })
  await askUntil(
    ({ status }) => status === 200,
    () => at.ask('POST', `/pulls/${number}/merge`, { do: 'merge' }),
  )
  await step('POST', `/pulls/${number}/merge`, { do: 'merge' })
  await step('GET', `/pulls/${number}`)
  await step('GET', '/pulls?state=closed')
  await step('GET', '/git/refs/pull')
  const merged = await step('GET', `/pulls/${number}`)
  await step('GET', `/commits/${String(merged.at('merge_commit_sha'))}/pull`)
  await step('GET', `/commits/${String(merged.at('head.sha'))}/pull`)
  await step('PATCH', `/pulls/${number}`, { state: 'open' })
}

async function publish(at: TestRepository, step: Take): Promise<void> {
  await step('GET', '/releases')
  const made = await step('POST', '/releases', { tag_name: 'v1', target_commitish: 'main' })
  await step('POST', '/releases', { tag_name: 'v1', target_commitish: 'main' })
  await step('POST', '/releases', { tag_name: 'v2', target_commitish: 'main', draft: true })
  const id = String(made.at('id'))
  const form = new FormData()
  form.append('attachment', new Blob(['x']), 'tool')
  const asset = await at.ask('POST', `/releases/${id}/assets?name=tool`, form)
  await step('GET', `/releases/${id}/assets/${String(asset.at('id'))}`)
  await step('GET', '/releases')
}

/** Status and, of a refusal, its words without names and numbers. */
const named = ({ name, told }: Step) => {
  const message = String(told.at('message')).replaceAll(
    /\[.*\]|[0-9a-f]{40}|portico-[0-9a-f-]{36}/g,
    '…',
  )
  return `${name}: ${told.status}${told.status < 400 ? '' : ` ${message}`}`
}
const withoutNumbers = (name: string) => name.replaceAll(/\/\d+/g, '/<number>')

describe.if(real !== undefined)('the fake and a real Gitea', () => {
  test('answer the same requests with the same statuses, members and types', async () => {
    if (real === undefined) throw new Error('no server')
    await using server = await openFakeServer()
    const [fakes, reals] = [await walk(server), await walk(real)]
    const [of, other] = [fakes.map(named), reals.map(named)]
    expect(of.map(withoutNumbers)).toStrictEqual(other.map(withoutNumbers))
    const found = fakes.flatMap((step, index) => {
      const its = reals[index]?.told.at('')
      return differences(shapeOf(step.told.at('')), shapeOf(its)).map(
        (difference) => `${step.name}: ${difference}`,
      )
    })
    expect(found).toStrictEqual([])
  })
})
