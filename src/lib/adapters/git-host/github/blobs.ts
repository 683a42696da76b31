import { isDeepStrictEqual } from 'node:util'
import type { ObjectId, RepositoryId } from '../../../names.ts'
import type { GitFailure } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import { apiPath, hostError } from '../hosted/client.ts'
import { tooLarge } from '../hosted/exchange.ts'
import { readBlob } from './answers.ts'
import type { GitHub } from './github.ts'
import { pathOf } from './known-repositories.ts'

/** Of a control character in text; base64 is less. */
const JSON_BYTES_PER_BYTE = 6
const MEMBERS_MAX_BYTES = 16 * 1024

/** Whether bytes are those of a blob. */
export const isBlob = (bytes: Uint8Array, id: ObjectId): boolean =>
  new Bun.CryptoHasher('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex') === id

/** The bytes of a blob; `null`: more than `maxBytes`. As JSON, which servers that know no raw media type give as well. */
export async function readBlobBytes(
  { client, known, kept }: GitHub,
  repository: RepositoryId,
  id: ObjectId,
  maxBytes: number,
): Promise<Result<Uint8Array | null, GitFailure>> {
  const answerMaxBytes = maxBytes * JSON_BYTES_PER_BYTE + MEMBERS_MAX_BYTES
  const path = `${pathOf(repository)}${apiPath`/git/blobs/${id}`}`
  const answer = await client.read(path, { maxBytes: answerMaxBytes })
  if (!answer.ok)
    return isDeepStrictEqual(answer.error, tooLarge(answerMaxBytes)) ? ok(null) : answer
  if (answer.value.status !== 200) return err(await known.missing(repository, answer.value, 'file'))
  const blob = readBlob(answer.value)
  if (!blob.ok) return blob
  const { content, encoding } = blob.value
  const bytes = new Uint8Array(Buffer.from(content, encoding))
  if (!isBlob(bytes, id)) return hostError(`gave other bytes than those of blob ${id}`)
  if (bytes.length > maxBytes) return ok(null)
  kept.keepBlob(id, bytes)
  return ok(bytes)
}
