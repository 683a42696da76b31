import type { Answer } from '#tests/peers/forge/answer.ts'
import { writeCommit } from '#tests/peers/forge/git/commits.ts'
import { changeTree, type TreeChange } from '#tests/peers/forge/git/trees.ts'
import { authenticate, lookUpRepository } from './access.ts'
import { Refusal } from './answer.ts'
import { nodeId } from './links.ts'
import { lookAtMerge, publishHeads, refresh } from './pull-requests.ts'
import { mayDo } from './rights.ts'
import type { Credential, PullRequest, Repository, State } from './state.ts'

/** "CreateCommitOnBranchInput" of GitHub's GraphQL API, version of GitHub Enterprise Server 3.17. */
interface CommitInput {
  readonly branch: { readonly repositoryNameWithOwner: string; readonly branchName: string }
  readonly expectedHeadOid: string
  readonly message: { readonly headline: string; readonly body?: string }
  readonly fileChanges: {
    readonly additions?: readonly { readonly path: string; readonly contents: string }[]
    readonly deletions?: readonly { readonly path: string }[]
  }
}

interface RefInput {
  readonly repositoryId: string
  readonly name: string
  readonly oid: string
}

interface GraphqlBody {
  readonly query: string
  readonly variables: {
    readonly input?: RefInput | CommitInput
    readonly owner?: string
    readonly name?: string
  }
}

/** Push protection finds it. */
export const SECRET = 'ghp_secret'

/** An entry of `errors`. */
class MutationError extends Error {
  readonly type: string
  constructor(type: string, message: string) {
    super(message)
    this.type = type
  }
}

/** The mutations that commits need, whose fields run one after another as GitHub's do, and pull requests by their numbers. */
export async function answerGraphql(
  state: State,
  authorization: string | undefined,
  body: unknown,
): Promise<Answer> {
  let credential: Credential
  try {
    credential = authenticate(state, authorization)
  } catch (error) {
    if (error instanceof Refusal) return error.answer
    throw error
  }
  const { query, variables } = body as GraphqlBody
  if (query.startsWith('query')) return describePulls(state, credential, query, variables)
  const data: Record<string, unknown> = {}
  const errors: object[] = []
  const run = async (field: string, mutate: () => Promise<object>) => {
    if (!query.includes(`${field}(`)) return
    try {
      data[field] = await mutate()
    } catch (error) {
      if (!(error instanceof MutationError)) throw error
      data[field] = null
      errors.push({ type: error.type, path: [field], message: error.message })
    }
  }
  await run('createRef', async () => {
    const { repositoryId = '', name = '', oid = '' } = variables.input as Partial<RefInput>
    const repository = [...state.repositories.values()].find(
      (each) => nodeId('R', each.id) === repositoryId,
    )
    requireWrite(credential, repository)
    return await repository.git.inTurn(async () => {
      if ((await repository.git.reference(name)) !== null) {
        const words = `A ref named "${name}" already exists in the repository.`
        throw new MutationError('UNPROCESSABLE', words)
      }
      requireUnprotected(repository, name.replace('refs/heads/', ''))
      const { code } = await repository.git.tryGit(['update-ref', name, oid, ''])
      if (code !== 0) throw new MutationError('UNPROCESSABLE', 'Reference update failed')
      return { clientMutationId: null }
    })
  })
  await run('createCommitOnBranch', async () => {
    const input = variables.input as CommitInput
    const [owner = '', name = ''] = input.branch.repositoryNameWithOwner.split('/')
    const repository = lookUpRepository(state, credential, owner, name)?.repository
    requireWrite(credential, repository)
    const commit = await commitOnBranch(state, credential, repository, input)
    await publishHeads(state, repository)
    return { commit: { oid: commit } }
  })
  return { status: 200, body: { data, ...(errors.length > 0 && { errors }) } }
}

const QUESTION =
  /^query\(\$owner: String!, \$name: String!\) \{ repository\(owner: \$owner, name: \$name\) \{ (.*) \} \} fragment facts on PullRequest \{ (.*) \}$/
const ALIAS = /(\w+): pullRequest\(number: (\d+)\) \{ \.\.\.facts \}/g
const KNOWN_FIELDS =
  'number isDraft mergeable reviewDecision mergeQueueEntry { state } statusCheckRollup { state } latestOpinionatedReviews(first: 50, writersOnly: true) { nodes { state } }'

/** Aliased `pullRequest` fields of a repository, with the fields of "PullRequest" that tell of checks and reviews. */
async function describePulls(
  state: State,
  credential: Credential,
  query: string,
  { owner = '', name = '' }: GraphqlBody['variables'],
): Promise<Answer> {
  const [, selection = '', fields] = QUESTION.exec(query) ?? []
  if (fields !== KNOWN_FIELDS) {
    const error = { message: "Field doesn't exist on type 'PullRequest'", path: ['fragment facts'] }
    return { status: 200, body: { errors: [error] } }
  }
  const repository = lookUpRepository(state, credential, owner, name)?.repository
  if (repository === undefined) {
    const message = `Could not resolve to a Repository with the name '${owner}/${name}'.`
    const errors = [{ type: 'NOT_FOUND', path: ['repository'], message }]
    return { status: 200, body: { data: { repository: null }, errors } }
  }
  const found: Record<string, object | null> = {}
  const errors: object[] = []
  for (const [, alias = '', number] of selection.matchAll(ALIAS)) {
    const pull = repository.pulls.get(Number(number))
    if (pull !== undefined) await refresh(state, repository, pull)
    found[alias] = pull === undefined ? null : await describedPull(repository, pull)
    if (pull !== undefined) continue
    const message = `Could not resolve to a PullRequest with the number of ${number}.`
    errors.push({ type: 'NOT_FOUND', path: ['repository', alias], message })
  }
  const data = { repository: found }
  return { status: 200, body: { data, ...(errors.length > 0 && { errors }) } }
}

async function describedPull(repository: Repository, pull: PullRequest) {
  const { requiredReviews, statuses } = repository
  const latest = [...new Map(pull.reviews.map((review) => [review.by, review])).values()]
  const count = (wanted: string) => latest.filter(({ state }) => state === wanted).length
  const decision =
    count('CHANGES_REQUESTED') > 0
      ? 'CHANGES_REQUESTED'
      : count('APPROVED') >= requiredReviews
        ? 'APPROVED'
        : 'REVIEW_REQUIRED'
  const status = statuses.get(pull.headCommit)
  const known = await lookAtMerge(repository, pull)
  return {
    number: pull.number,
    isDraft: pull.draft,
    mergeable: known === null ? 'UNKNOWN' : known ? 'MERGEABLE' : 'CONFLICTING',
    reviewDecision: requiredReviews === 0 ? null : decision,
    mergeQueueEntry: pull.isQueued ? { state: 'QUEUED' } : null,
    statusCheckRollup: status === undefined ? null : { state: status },
    latestOpinionatedReviews: { nodes: latest.map(({ state }) => ({ state })) },
  }
}

function commitOnBranch(
  state: State,
  credential: Credential,
  { git, protections }: Repository,
  { branch: { branchName }, expectedHeadOid, message, fileChanges }: CommitInput,
): Promise<string> {
  return git.inTurn(async () => {
    const ref = `refs/heads/${branchName}`
    const tip = await git.reference(ref)
    if (tip === null) throw new MutationError('NOT_FOUND', `No ref exists named "${ref}".`)
    if (tip !== expectedHeadOid) {
      const words = `Expected branch to point to "${expectedHeadOid}" but it points to "${tip}". Pull and try again.`
      throw new MutationError('STALE_DATA', words)
    }
    requireUnprotected({ protections }, branchName)
    const added = fileChanges.additions ?? []
    if (added.some(({ contents }) => Buffer.from(contents, 'base64').includes(SECRET))) {
      throw new MutationError(
        'UNPROCESSABLE',
        'Repository rule violations found\n\nSecret detected in content',
      )
    }
    const tree = (await git.git(['rev-parse', `${tip}^{tree}`])).toString().trim()
    const changes: TreeChange[] = (fileChanges.deletions ?? []).map(({ path }) => ({
      path,
      entry: null,
    }))
    for (const { path, contents } of added) {
      const mode = (await git.git(['ls-tree', tip, path])).toString().slice(0, 6)
      const id = await git.write('blob', Buffer.from(contents, 'base64'))
      changes.push({ path, entry: { mode: mode === '100755' ? mode : '100644', id } })
    }
    const author = {
      name: credential.account.login,
      email: `${credential.account.login}@users.noreply.github.test`,
      at: Math.floor(state.now() / 1000),
    }
    const commit = await writeCommit(git, {
      tree: await changeTree(git, tree, changes),
      parents: [tip],
      author,
      committer: { ...author, name: 'GitHub', email: 'noreply@github.com' },
      message: `${message.headline}\n\n${message.body ?? ''}\n`,
      isSigned: true,
    })
    await git.updateReference(ref, commit)
    return commit
  })
}

function requireWrite(
  credential: Credential,
  repository: Repository | undefined,
): asserts repository is Repository {
  if (repository === undefined) {
    throw new MutationError('NOT_FOUND', 'Could not resolve to a node with the global id')
  }
  if (!mayDo(credential, 'contents', 'write') || repository.archived) {
    const by = credential.kind === 'installation' ? 'integration' : 'personal access token'
    throw new MutationError('FORBIDDEN', `Resource not accessible by ${by}`)
  }
}

function requireUnprotected({ protections }: Pick<Repository, 'protections'>, branch: string) {
  const protection = protections.get(branch)
  if (protection === undefined) return
  const words =
    protection.by === 'rules'
      ? `Repository rule violations found\n\n${protection.reasons.join('\n\n')}`
      : `Protected branch update failed: ${protection.reasons.join(' ')}`
  throw new MutationError('UNPROCESSABLE', words)
}
