import { Type } from 'typebox'
import { hostPhrase } from '../../../git/host-words.ts'
import { cleanAuthor, cleanMessage } from '../../../git/fast-import.ts'
import type { CommitOnHost } from '../../../git/mirror-push.ts'
import { ObjectId, type RepositoryId } from '../../../names.ts'
import type { CommitRequest, GitAnswer } from '../../../ports/git-host.ts'
import { err, ok } from '../../../result.ts'
import { named } from '../../../schema/named.ts'
import { answerReader, Maybe } from '../hosted/api/answer-reader.ts'
import { type HostClient, hostError } from '../hosted/api/client.ts'
import { type KnownRepositories, nameOf } from '../hosted/known-repositories.ts'
import { gitHubRefusal } from './api/refusal.ts'

const DEADLINE_MS = 20_000
const RIGHT = 'contents: write'

const readMutation = answerReader(
  'a mutation',
  Type.Object({
    data: Maybe(
      Type.Object({
        createCommitOnBranch: Maybe(
          Type.Object({ commit: Maybe(Type.Object({ oid: named(ObjectId) })) }),
        ),
      }),
    ),
    errors: Type.Optional(
      Type.Array(Type.Object({ type: Maybe(Type.String()), message: Type.String() })),
    ),
  }),
)

const CREATE_REF =
  'mutation($input: CreateRefInput!) { createRef(input: $input) { clientMutationId } }'
const COMMIT =
  'mutation($input: CreateCommitOnBranchInput!) { createCommitOnBranch(input: $input) { commit { oid } } }'

/**
 * GitHub signs what an App commits by its API, and no pushed commit of it. The App is the author; a trailer names the person.
 * GraphQL's "CreateCommitOnBranchInput" has the expected head, which the REST API does not. The branch is made by a request of its own:
 * in one document GitHub would commit to a branch that somebody else has made.
 */
export const createCommitOnBranch =
  (graphql: Pick<HostClient, 'write'>, known: KnownRepositories): CommitOnHost =>
  async (repository, request) => {
    const { branch, from } = request
    const mutate = (query: string, input: object) => send(graphql, repository, query, input)
    const facts = await known.recent(repository)
    if (!facts.ok) return err({ failure: facts.error, hasMadeBranch: false })
    const { full_name: fullName, node_id: repositoryId = '' } = facts.value
    if (from.kind === 'create') {
      const ref = { repositoryId, name: `refs/heads/${branch}`, oid: from.parent }
      const made = await mutate(CREATE_REF, ref)
      if (!made.ok) return err({ failure: made.error, hasMadeBranch: false })
    }
    const committed = await mutate(COMMIT, inputOf(fullName, request))
    const failure = committed.ok
      ? hostError('answered a commit without its id').error
      : committed.error
    return committed.ok && committed.value !== null
      ? ok(committed.value)
      : err({ failure, hasMadeBranch: from.kind === 'create' })
  }

function inputOf(
  fullName: string,
  { branch, from, changes, message, author }: CommitRequest,
): object {
  const { name, email } = cleanAuthor(author)
  const text = withTrailer(cleanMessage(message), `Co-authored-by: ${name} <${email}>`)
  const [headline = '', ...body] = text.split('\n')
  return {
    branch: { repositoryNameWithOwner: fullName, branchName: branch },
    expectedHeadOid: from.kind === 'advance' ? from.expected : from.parent,
    message: { headline, body: body.join('\n').trim() },
    fileChanges: {
      additions: changes.flatMap((change) =>
        change.kind === 'write'
          ? [{ path: change.path, contents: Buffer.from(change.bytes).toString('base64') }]
          : [],
      ),
      deletions: changes.flatMap(({ kind, path }) => (kind === 'delete' ? [{ path }] : [])),
    },
  }
}

/** The id of the commit, `null` for another mutation. */
async function send(
  graphql: Pick<HostClient, 'write'>,
  repository: RepositoryId,
  query: string,
  input: object,
): GitAnswer<ObjectId | null> {
  const body = { query, variables: { input } }
  const answer = await graphql.write('POST', '/graphql', body, { deadlineMs: DEADLINE_MS })
  if (!answer.ok) return answer
  const name = nameOf(repository)
  if (answer.value.status !== 200) {
    return err(gitHubRefusal(answer.value, { repository: name, right: RIGHT }))
  }
  const read = readMutation(answer.value)
  if (!read.ok) return read
  const { data, errors: [error] = [] } = read.value
  if (error === undefined) return ok(data?.createCommitOnBranch?.commit?.oid ?? null)
  const message = hostPhrase(error.message)
  if (error.type === 'FORBIDDEN' || /not accessible by/i.test(message)) {
    return err({ kind: 'git_denied', what: `${RIGHT} on ${name}` })
  }
  return /protected|rule violations|declined/i.test(message)
    ? err({ kind: 'git_denied', what: `a rule of ${name} refused the commit: ${message}` })
    : hostError(`refused a commit: ${message}`)
}

const TRAILER = /^[A-Za-z0-9-]+: \S/

/** Adds a trailer to those of a message, or as their first after an empty line. */
function withTrailer(message: string, trailer: string): string {
  const text = message.trimEnd()
  const last = text.split('\n\n').slice(1).at(-1)?.split('\n') ?? []
  const hasTrailers = last.length > 0 && last.every((line) => TRAILER.test(line))
  return `${text}${hasTrailers ? '\n' : '\n\n'}${trailer}\n`
}
