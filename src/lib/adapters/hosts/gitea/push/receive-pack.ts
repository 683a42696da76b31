import type { BranchName, ObjectId, RepositoryId } from '../../../../names.ts'
import type { GitFailure } from '../../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../../result.ts'
import { hostError, hostPhrase } from '../../hosted/api/client.ts'
import type { GitObject } from '../../hosted/objects/git-objects.ts'
import { packOf } from './pack.ts'
import { FLUSH, pktLine } from '../../pkt-lines.ts'
import { readReport } from './report.ts'

const NO_OBJECT = '0'.repeat(40)
const CAPABILITIES = 'report-status side-band-64k object-format=sha1 agent=portico'
/** The bodies of a scaffolded repository, with room. */
const PACK_BYTES_MAX = 64 * 1024 * 1024

export interface Push {
  readonly repository: RepositoryId
  readonly branch: BranchName
  /** The branch must stand here; `null`: it must not exist. */
  readonly before: ObjectId | null
  readonly after: ObjectId
  /** Everything that the new commit needs and the repository may not have. */
  readonly objects: readonly GitObject[]
}

export interface PackAnswer {
  readonly status: number
  readonly bytes: Buffer
}

/** One POST to `<owner>/<name>.git/git-receive-pack`, never repeated. */
export type PostPack = (
  repository: RepositoryId,
  body: Uint8Array<ArrayBuffer>,
) => Promise<Result<PackAnswer, GitFailure>>

/** A refusal by git itself, in its words: the branch is not as expected, or cannot have this name. */
type Refusal = string

/**
 * Git's push (gitprotocol-http(5), "Smart Service git-receive-pack"): the server moves the branch by compare-and-swap and
 * stores the objects only when it does. Returns `null` when the branch has moved.
 */
export async function push(
  post: PostPack,
  { repository, branch, before, after, objects }: Push,
): Promise<Result<Refusal | null, GitFailure>> {
  const ref = `refs/heads/${branch}`
  const command = `${before ?? NO_OBJECT} ${after} ${ref}\0${CAPABILITIES}`
  const pack = await packOf(objects)
  if (pack.length > PACK_BYTES_MAX) return hostError('the commit is larger than Portico pushes')
  const body = Buffer.concat([Buffer.from(pktLine(command) + FLUSH), pack])
  const answer = await post(repository, body)
  if (!answer.ok) return answer
  const { status, bytes } = answer.value
  if (status !== 200) return err(failureOf(repository, status, bytes.toString('utf8', 0, 500)))
  const report = readReport(bytes, ref)
  if (report === undefined) return hostError('the report of a push is cut off')
  if (report.refusal === null) return ok(null)
  if (/hook declined/.test(report.refusal)) {
    return err({
      kind: 'git_denied',
      what: reasonOfHook(report.messages, repository, branch),
    })
  }
  return ok(hostPhrase(`${report.refusal}: ${report.messages}`))
}

/** The first message of Gitea's hook, such as `Not allowed to push to protected branch main`. */
function reasonOfHook(messages: string, { owner, name }: RepositoryId, branch: BranchName): string {
  const repository = `${owner}/${name}`
  if (/permission denied/i.test(messages)) return `repository: write on ${repository}`
  if (/protected branch/i.test(messages)) return `branch ${branch} of ${repository} is protected`
  const lines = messages
    .split('\n')
    .map((line) => hostPhrase(line.replace(/^(?:remote|error):/, '')))
  const first = lines.find((line) => line !== '')
  return `a hook of ${repository} refused the commit${first === undefined ? '' : `: ${first}`}`
}

function failureOf({ owner, name }: RepositoryId, status: number, text: string): GitFailure {
  const repository = `${owner}/${name}`
  const denied = (what: string) => ({ kind: 'git_denied', what }) as const
  if (status === 404 || status === 410) return { kind: 'git_not_found', what: 'repository' }
  if (status >= 300 && status < 400) return denied(`${repository} was renamed`)
  if (status === 403 && /archived/i.test(text)) return denied(`${repository} is archived`)
  if (status === 403 && /mirror/i.test(text)) return denied(`${repository} is a mirror`)
  if (status === 403 && /push to create/i.test(text)) {
    return { kind: 'git_not_found', what: 'repository' }
  }
  if (status === 403) return denied(`repository: write on ${repository}`)
  if (status === 413) return denied(`${repository} takes no commit of this size`)
  return {
    kind: 'git_host_error',
    reason: `a push was answered with ${status}`,
  }
}
