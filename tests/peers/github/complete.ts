import type { Answer } from '#tests/peers/forge/answer.ts'
import { isBytes } from '#tests/peers/forge/send.ts'
import { Refusal } from './answer.ts'
import type { Arrival, Parts } from './parts.ts'

const VERSIONS = ['2022-11-28', '2026-03-10']

/** Refuses what GitHub refuses before it looks at the operation. */
export function refuseHeaders(headers: Arrival['headers']): void {
  if (headers['user-agent'] === undefined)
    throw new Refusal(
      403,
      'Request forbidden by administrative rules. Please make sure your request has a User-Agent header.',
    )
  const version = headers['x-github-api-version']
  if (version !== undefined && !VERSIONS.includes(version))
    throw new Refusal(400, `${version} is not a supported version of the GitHub REST API`)
}

/** The headers of every answer. */
export function complete({ limits, state }: Parts, answer: Answer): Answer {
  return {
    ...answer,
    headers: {
      date: new Date(state.now()).toUTCString(),
      'x-github-request-id': crypto.randomUUID().slice(0, 18).toUpperCase(),
      'x-github-media-type': 'github.v3; format=json',
      'x-github-api-version-selected': VERSIONS[0] ?? '',
      ...limits.headers(),
      ...answer.headers,
    },
  }
}

/** Reads have an entity tag, which belongs to the credential; an unchanged answer is free. */
export function conditional(
  { limits }: Parts,
  answer: Answer,
  method: string,
  headers: Arrival['headers'],
): Answer {
  if (method !== 'GET' || answer.status !== 200) return answer
  const content = isBytes(answer.body) ? answer.body : JSON.stringify(answer.body ?? null)
  const hash = new Bun.CryptoHasher('sha256')
  const tag = hash
    .update(headers['authorization'] ?? '')
    .update(content)
    .digest('hex')
  const etag = isBytes(answer.body) ? `"${tag}"` : `W/"${tag}"`
  const tagged = { ...answer.headers, etag, 'cache-control': 'private, max-age=60, s-maxage=60' }
  if (headers['if-none-match'] !== etag) return { ...answer, headers: tagged }
  limits.refund()
  return { status: 304, headers: { ...tagged, ...limits.headers() } }
}
