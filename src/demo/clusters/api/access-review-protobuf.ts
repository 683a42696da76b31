import type { ReviewSpec } from './review-spec.ts'

/**
 * A SelfSubjectAccessReview in protobuf, as `kubectl auth can-i` sends it: Kubernetes' envelope `runtime.Unknown` behind four bytes
 * (API concepts, "Protobuf resources"), and the fields of `authorization/v1/generated.proto`.
 */

const MAGIC = Buffer.from('k8s\0')
const RESOURCE_FIELDS = [
  'namespace',
  'verb',
  'group',
  'version',
  'resource',
  'subresource',
  'name',
] as const
const PATH_FIELDS = ['path', 'verb'] as const
/** Numbers of the message fields. */
const ENVELOPE_TYPE = 1
const ENVELOPE_RAW = 2
const REVIEW_SPEC = 2
const SPEC_RESOURCE = 1
const SPEC_PATH = 2

/** Returns `null` for bytes that are no such review. */
export function readAccessReview(bytes: Uint8Array): ReviewSpec | null {
  const body = Buffer.from(bytes)
  if (!body.subarray(0, MAGIC.length).equals(MAGIC)) return null
  const envelope = messageOf(body.subarray(MAGIC.length))
  const type = envelope && messageOf(envelope.get(ENVELOPE_TYPE) ?? EMPTY)
  const review = envelope && messageOf(envelope.get(ENVELOPE_RAW) ?? EMPTY)
  const spec = review && messageOf(review.get(REVIEW_SPEC) ?? EMPTY)
  if (!type || !spec || String(type.get(2)) !== 'SelfSubjectAccessReview') return null
  const resource = spec.get(SPEC_RESOURCE)
  const path = spec.get(SPEC_PATH)
  return {
    ...(resource && { resourceAttributes: textsOf(resource, RESOURCE_FIELDS) }),
    ...(path && { nonResourceAttributes: textsOf(path, PATH_FIELDS) }),
  }
}

const EMPTY = Buffer.alloc(0)

const textsOf = (message: Buffer, fields: readonly string[]) =>
  Object.fromEntries(
    fields.map((field, index) => [field, String(messageOf(message)?.get(index + 1) ?? '')]),
  )

const VARINT = 0
const LENGTH_DELIMITED = 2

/** The last value of each field that has bytes, by its number; `null` for what is no message. */
function messageOf(bytes: Buffer): ReadonlyMap<number, Buffer> | null {
  const fields = new Map<number, Buffer>()
  for (let at = 0; at < bytes.length;) {
    const key = varintAt(bytes, at)
    const value = key && varintAt(bytes, key.end)
    if (!value) return null
    at = value.end
    const wireType = key.value & 7
    if (wireType === VARINT) continue
    if (wireType !== LENGTH_DELIMITED || value.value > bytes.length - at) return null
    fields.set(key.value >>> 3, bytes.subarray(at, at + value.value))
    at += value.value
  }
  return fields
}

/** More than the length of any body. */
const VARINT_BITS_MAX = 28

function varintAt(bytes: Buffer, start: number) {
  let value = 0
  for (let at = start, bits = 0; bits <= VARINT_BITS_MAX; at++, bits += 7) {
    const byte = bytes[at]
    if (byte === undefined) return null
    value += (byte & 0x7f) * 2 ** bits
    if (byte < 0x80) return { value, end: at + 1 }
  }
  return null
}
