import type { Delivery } from '../domain/gitops/delivery.ts'
import { decodeUtf8 } from '../text/utf8.ts'

/** Larger payloads are checked against their signature, but not kept. A push of a hundred commits has about 100 KB. */
const PAYLOAD_MAX_BYTES = 1024 * 1024

/** The header of GitHub, of GitLab, and those of Gitea, Forgejo and Gogs, which send several of them. */
const EVENT_HEADERS = [
  'x-github-event',
  'x-gitlab-event',
  'x-gitea-event',
  'x-forgejo-event',
  'x-gogs-event',
]
const FORM = 'application/x-www-form-urlencoded'

/** Reads a delivery of a git host: JSON, or a form whose field `payload` is the JSON. */
export function createDeliveryReader(headers: Headers) {
  let parts: Uint8Array[] = []
  let length = 0

  function payload(): string | undefined {
    const text = length > PAYLOAD_MAX_BYTES ? undefined : decodeUtf8(Buffer.concat(parts))
    const isForm = headers.get('content-type')?.toLowerCase().startsWith(FORM) === true
    if (text === undefined || !isForm) return text
    return new URLSearchParams(text).get('payload') ?? undefined
  }

  return {
    /** Keeps a part of the body, until there are too many. */
    add(part: Uint8Array): void {
      length += part.length
      if (length <= PAYLOAD_MAX_BYTES) parts.push(part)
      else parts = []
    },
    /** The delivery, after the last part. */
    read: (): Delivery => ({
      events: EVENT_HEADERS.flatMap((name) => headers.get(name) ?? []),
      payload: payload(),
    }),
  }
}
