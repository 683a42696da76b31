import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { ObjectId, type RepositoryId } from '../../../names.ts'
import type { GitFailure } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import { named } from '../../../schema/named.ts'
import { apiPath, hostError, refusalOf, type HostClient } from '../hosted/client.ts'
import { blobObject } from '../hosted/git-objects.ts'
import type { KeptObjects } from '../hosted/kept-objects.ts'

const BlobAnswer = Compile(
  Type.Object({
    sha: named(ObjectId),
    content: Type.String(),
    encoding: Type.Enum(['base64']),
  }),
)
/** Base64 and the rest of the answer. */
const answerBytes = (maxBytes: number) => Math.ceil(maxBytes / 3) * 4 + 4_096

export type ReadBlob = (
  repository: RepositoryId,
  id: ObjectId,
  maxBytes: number,
) => Promise<Result<Uint8Array, GitFailure>>

/** One blob, checked against its id, or from memory. */
export const createReadBlob =
  (client: Pick<HostClient, 'read'>, kept: Pick<KeptObjects, 'blob' | 'keepBlob'>): ReadBlob =>
  async ({ owner, name }, id, maxBytes) => {
    const known = kept.blob(id)
    if (known !== undefined) return ok(known)
    const answer = await client.read(apiPath`/repos/${owner}/${name}/git/blobs/${id}`, {
      maxBytes: answerBytes(maxBytes),
    })
    if (!answer.ok) return answer
    const { status, json } = answer.value
    if (status === 400 || status === 404) return err({ kind: 'git_not_found', what: 'file' })
    if (status !== 200) {
      const subject = {
        repository: `${owner}/${name}`,
        right: 'repository: read',
      }
      return err(refusalOf(answer.value, subject))
    }
    if (!BlobAnswer.Check(json)) return hostError('a blob has unexpected members')
    // Lenient, so that what is no base64 is bytes of another id.
    const bytes = new Uint8Array(Buffer.from(json.content, 'base64'))
    if (blobObject(bytes).id !== id) return hostError(`${id} has other bytes than its id`)
    kept.keepBlob(id, bytes)
    return ok(bytes)
  }
