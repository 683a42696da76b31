import { isDeepStrictEqual } from 'node:util'
import { Type } from 'typebox'
import type { ObjectId, RepositoryId } from '../../../../names.ts'
import type { GitFailure } from '../../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../../result.ts'
import { answerReader } from '../api/answer-reader.ts'
import { apiPath, type HostClient, hostError } from '../api/client.ts'
import { tooLarge } from '../api/exchange.ts'
import { blobObject } from './git-objects.ts'
import type { KeptObjects } from './kept-objects.ts'
import { type KnownRepositories, pathOf } from '../known-repositories.ts'

/** A control character takes six bytes in JSON; base64 takes less. */
const JSON_BYTES_PER_BYTE = 6
const MEMBERS_MAX_BYTES = 16 * 1024

const readAnswer = answerReader(
  'a blob',
  Type.Object({ content: Type.String(), encoding: Type.Enum(['base64', 'utf-8']) }),
)

export interface BlobMeans {
  readonly client: Pick<HostClient, 'read'>
  readonly known: KnownRepositories
  readonly kept: KeptObjects
}

/** The bytes of a blob, checked against its id; `null`: more than `maxBytes`. */
export async function readBlob(
  { client, known, kept }: BlobMeans,
  repository: RepositoryId,
  id: ObjectId,
  maxBytes: number,
): Promise<Result<Uint8Array | null, GitFailure>> {
  const answerMaxBytes = maxBytes * JSON_BYTES_PER_BYTE + MEMBERS_MAX_BYTES
  const path = `${pathOf(repository)}${apiPath`/git/blobs/${id}`}`
  const answer = await client.read(path, { maxBytes: answerMaxBytes })
  if (!answer.ok) {
    return isDeepStrictEqual(answer.error, tooLarge(answerMaxBytes)) ? ok(null) : answer
  }
  if (answer.value.status !== 200) return err(await known.missing(repository, answer.value, 'file'))
  const blob = readAnswer(answer.value)
  if (!blob.ok) return blob
  const { content, encoding } = blob.value
  // Lenient, so that what is no base64 is bytes of another id.
  const bytes = new Uint8Array(Buffer.from(content, encoding))
  if (blobObject(bytes).id !== id) return hostError(`gave other bytes than those of blob ${id}`)
  if (bytes.length > maxBytes) return ok(null)
  kept.keepBlob(id, bytes)
  return ok(bytes)
}
