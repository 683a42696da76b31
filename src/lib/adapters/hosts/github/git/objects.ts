import type { ObjectId, RepositoryId } from '../../../../names.ts'
import type { Author, GitFailure } from '../../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../../result.ts'
import { decodeUtf8Exactly } from '../../../../text/utf8.ts'
import { cleanAuthor, cleanMessage } from '../../../../git/commit-request.ts'
import { type Answer, apiPath, messageOf } from '../../hosted/api/client.ts'
import { readCreated } from '../api/answers.ts'
import type { GitHub } from '../github.ts'
import { nameOf, notFound, pathOf } from '../../hosted/known-repositories.ts'
import { gitHubRefusal } from '../api/refusal.ts'

/** Text in the request for a tree; further files are sent on their own. */
const INLINE_MAX_BYTES = 4 * 1024 * 1024

/** A change to a tree. `null`: the path is removed. */
export interface TreeChange {
  readonly path: string
  readonly file: { readonly bytes: Uint8Array; readonly executable: boolean } | null
}

export interface NewTree {
  /** `null`: the new tree has the changes alone. */
  readonly base: ObjectId | null
  readonly changes: readonly TreeChange[]
}

export async function writeTree(
  github: GitHub,
  repository: RepositoryId,
  { base, changes }: NewTree,
): Promise<Result<ObjectId, GitFailure>> {
  const entries: object[] = []
  let inlineBytes = 0
  for (const { path, file } of changes) {
    const entry = { path, type: 'blob', mode: file?.executable === true ? '100755' : '100644' }
    const text = file === null ? undefined : inlineText(file.bytes)
    if (file === null) {
      entries.push({ ...entry, sha: null })
    } else if (text !== undefined && inlineBytes + file.bytes.length <= INLINE_MAX_BYTES) {
      inlineBytes += file.bytes.length
      entries.push({ ...entry, content: text })
    } else {
      const blob = await writeObject(github, repository, 'blobs', {
        content: Buffer.from(file.bytes).toString('base64'),
        encoding: 'base64',
      })
      if (!blob.ok) return blob
      entries.push({ ...entry, sha: blob.value })
    }
  }
  return writeObject(github, repository, 'trees', {
    ...(base !== null && { base_tree: base }),
    tree: entries,
  })
}

/** Text that JSON carries without loss: no binary file, and with its byte order mark. */
const inlineText = (bytes: Uint8Array): string | undefined =>
  bytes.includes(0) ? undefined : decodeUtf8Exactly(bytes)

export interface NewCommit {
  readonly tree: ObjectId
  readonly parents: readonly ObjectId[]
  readonly message: string
  readonly author: Author
  /** Milliseconds since the Unix epoch. */
  readonly at: number
}

/**
 * How commits name the person who asked. `person`: as author and committer; the same commit again has the same id. `app`: as co-author;
 * GitHub signs commits that name neither author nor committer.
 */
export type CommitAuthor = 'person' | 'app'

export function writeCommit(
  github: GitHub,
  repository: RepositoryId,
  { tree, parents, message, author, at }: NewCommit,
  naming: CommitAuthor,
): Promise<Result<ObjectId, GitFailure>> {
  const { name, email } = cleanAuthor(author)
  const text = cleanMessage(message)
  // GitHub takes whole seconds.
  const person = { name, email, date: new Date(at).toISOString().replace(/\.\d+Z$/, 'Z') }
  return writeObject(github, repository, 'commits', {
    tree,
    parents,
    ...(naming === 'person'
      ? { message: text, author: person, committer: person }
      : { message: withTrailer(text, `Co-authored-by: ${name} <${email}>`) }),
  })
}

const TRAILER = /^[A-Za-z0-9-]+: \S/

/** Adds a trailer to those of a message, or as their first after an empty line. */
export function withTrailer(message: string, trailer: string): string {
  const text = message.trimEnd()
  const last = text.split('\n\n').slice(1).at(-1)?.split('\n') ?? []
  const hasTrailers = last.length > 0 && last.every((line) => TRAILER.test(line))
  return `${text}${hasTrailers ? '\n' : '\n\n'}${trailer}\n`
}

/** Nobody sees an object whose answer was lost: a repetition of the whole operation makes the same one. */
async function writeObject(
  { client }: GitHub,
  repository: RepositoryId,
  kind: 'blobs' | 'trees' | 'commits',
  content: object,
): Promise<Result<ObjectId, GitFailure>> {
  const path = `${pathOf(repository)}${apiPath`/git/${kind}`}`
  const answer = await client.write('POST', path, content)
  return answer.ok ? idOf(answer.value, repository) : answer
}

function idOf(answer: Answer, repository: RepositoryId): Result<ObjectId, GitFailure> {
  const { status } = answer
  if (status === 201) {
    const created = readCreated(answer)
    return created.ok ? ok(created.value.sha) : created
  }
  if (status === 404) return notFound('repository')
  if (status === 409) {
    // The other 409 is that of push protection, which has found a secret.
    const message = messageOf(answer)
    return /\bempty\b/i.test(message) || message === ''
      ? notFound('repository')
      : err({ kind: 'git_denied', what: `${nameOf(repository)} refuses the contents (${message})` })
  }
  return err(gitHubRefusal(answer, { repository: nameOf(repository), right: 'contents: write' }))
}
