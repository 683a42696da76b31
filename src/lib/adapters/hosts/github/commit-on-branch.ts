import { Type } from 'typebox'
import { cleanAuthor, cleanMessage } from '../../../git/commit-request.ts'
import type { CommitOnHost } from '../../../git/mirror.ts'
import { ObjectId } from '../../../names.ts'
import type { GitFailure } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import { named } from '../../../schema/named.ts'
import { answerReader, Maybe } from '../hosted/api/answer-reader.ts'
import { type HostClient, hostError, hostPhrase } from '../hosted/api/client.ts'
import { type KnownRepositories, nameOf } from '../hosted/known-repositories.ts'
import { gitHubRefusal } from './api/refusal.ts'

const DEADLINE_MS = 20_000

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

const COMMIT = 'createCommitOnBranch(input: $commit) { commit { oid } }'
const ADVANCE = `mutation($commit: CreateCommitOnBranchInput!) { ${COMMIT} }`
/** GitHub runs the mutations of a document one after another. */
const CREATE = `mutation($ref: CreateRefInput!, $commit: CreateCommitOnBranchInput!) { createRef(input: $ref) { clientMutationId } ${COMMIT} }`

export interface CommitMeans {
  readonly graphql: Pick<HostClient, 'write'>
  readonly known: Pick<KnownRepositories, 'recent'>
}

/**
 * GitHub signs what an App commits by its API, and no pushed commit of it. The App is the author; a trailer names the person.
 * GraphQL's "CreateCommitOnBranchInput" has the expected head, which the REST API does not.
 */
export const createCommitOnBranch =
  ({ graphql, known }: CommitMeans): CommitOnHost =>
  async (repository, { branch, from, changes, message, author }) => {
    const facts = await known.recent(repository)
    if (!facts.ok) return facts
    const parent = from.kind === 'advance' ? from.expected : from.parent
    const { name, email } = cleanAuthor(author)
    const text = withTrailer(cleanMessage(message), `Co-authored-by: ${name} <${email}>`)
    const [headline = '', ...body] = text.split('\n')
    const commit = {
      branch: { repositoryNameWithOwner: facts.value.full_name, branchName: branch },
      expectedHeadOid: parent,
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
    const ref = {
      repositoryId: facts.value.node_id ?? '',
      name: `refs/heads/${branch}`,
      oid: parent,
    }
    const request =
      from.kind === 'create'
        ? { query: CREATE, variables: { ref, commit } }
        : { query: ADVANCE, variables: { commit } }
    const answer = await graphql.write('POST', '/graphql', request, { deadlineMs: DEADLINE_MS })
    if (!answer.ok) return answer
    const right = 'contents: write'
    if (answer.value.status !== 200) {
      return err(gitHubRefusal(answer.value, { repository: nameOf(repository), right }))
    }
    const read = readMutation(answer.value)
    if (!read.ok) return read
    const { data, errors = [] } = read.value
    const oid = data?.createCommitOnBranch?.commit?.oid
    if (oid !== undefined && errors.length === 0) return ok(oid)
    return refusalOf(errors, `${right} on ${nameOf(repository)}`, nameOf(repository))
  }

/** The first error is the cause of those that follow. */
function refusalOf(
  [error]: readonly { readonly type?: string | null | undefined; readonly message: string }[],
  right: string,
  repository: string,
): Result<never, GitFailure> {
  const message = hostPhrase(error?.message ?? 'no commit and no error')
  if (error?.type === 'FORBIDDEN' || /not accessible by/i.test(message)) {
    return err({ kind: 'git_denied', what: right })
  }
  if (/protected|rule violations|declined/i.test(message)) {
    return err({
      kind: 'git_denied',
      what: `a rule of ${repository} refused the commit: ${message}`,
    })
  }
  return hostError(`refused a commit: ${message}`)
}

const TRAILER = /^[A-Za-z0-9-]+: \S/

/** Adds a trailer to those of a message, or as their first after an empty line. */
function withTrailer(message: string, trailer: string): string {
  const text = message.trimEnd()
  const last = text.split('\n\n').slice(1).at(-1)?.split('\n') ?? []
  const hasTrailers = last.length > 0 && last.every((line) => TRAILER.test(line))
  return `${text}${hasTrailers ? '\n' : '\n\n'}${trailer}\n`
}
