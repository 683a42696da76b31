import { parseRepositoryId } from '../../../../names.ts'
import type { RawAnswer } from '../../../../outbound/exchange.ts'
import { MOVED } from '../../../../outbound/redirect.ts'
import { err, type Result } from '../../../../result.ts'
import { type Answer, currentNameOf, type HostClient, type ReadOptions } from './client.ts'
import type { Exchange, ExchangeFault } from './exchange.ts'
import { jsonAnswer } from './exchange.ts'
import { readPages } from './pages.ts'
import { createRememberedAnswers } from './remembered-answers.ts'
import { createSender, type SenderOptions } from './sender.ts'

const DEADLINE_MS = 10_000
const JSON_MAX_BYTES = 32 * 1024 * 1024

export interface HostClientOptions extends SenderOptions {
  readonly exchange: Exchange
  /** Headers of every request. */
  readonly headers: Readonly<Record<string, string>>
  readonly deadlineMs?: number
}

/** The API of a git host over HTTP. */
export function createHostClient(
  { root, exchange, headers, deadlineMs = DEADLINE_MS, ...means }: HostClientOptions,
  /** For a host with other requests under the same limits. */
  send = createSender({ root, ...means }),
): HostClient {
  const remembered = createRememberedAnswers()

  const read: HostClient['read'] = (path, { query, maxBytes = JSON_MAX_BYTES } = {}) => {
    const url = urlOf(root, path, query)
    const earlier = remembered.get(url)
    return send({
      kind: 'read',
      deadlineMs,
      take(answer: RawAnswer): Result<Answer, ExchangeFault> {
        if (answer.status === 304 && earlier !== undefined) return jsonAnswer(earlier.answer)
        const taken = jsonAnswer(answer)
        if (taken.ok) remembered.note(url, answer)
        return taken
      },
      exchange: (authorization, signal) =>
        exchange({
          method: 'GET',
          url,
          headers: {
            ...headers,
            ...(earlier !== undefined && { 'if-none-match': earlier.etag }),
            authorization,
          },
          maxBytes,
          followsRedirects: true,
          signal,
        }),
    })
  }

  return {
    read,

    readPages: (path, options) => readPages(read, path, options),

    async write(method, path, body, options = {}) {
      const answer = await send({
        kind: options.isQuestion ? 'read' : 'write',
        deadlineMs: options.deadlineMs ?? deadlineMs,
        take: jsonAnswer,
        exchange: (authorization, signal) =>
          exchange({
            method,
            url: urlOf(root, path),
            headers: {
              ...headers,
              ...(body !== undefined && { 'content-type': 'application/json' }),
              authorization,
            },
            ...(body !== undefined && { body: JSON.stringify(body) }),
            maxBytes: JSON_MAX_BYTES,
            followsRedirects: false,
            signal,
          }),
      })
      if (!answer.ok || !MOVED.has(answer.value.status)) return answer
      return err({ kind: 'git_denied', what: await renamed(read, path) })
    },
  }
}

function urlOf(root: string, path: string, query: ReadOptions['query'] = {}): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) parameters.set(name, String(value))
  return parameters.size === 0 ? `${root}${path}` : `${root}${path}?${parameters.toString()}`
}

/** A host redirects requests for a repository that has another name now; a write would be repeated there. */
async function renamed(read: HostClient['read'], path: string): Promise<string> {
  const [, name = ''] = /^\/repos\/([^/]+\/[^/]+)/.exec(path) ?? []
  const repository = parseRepositoryId(name)
  if (repository === undefined) return 'the host has moved what is written to'
  const newName = await currentNameOf(read, repository)
  return newName === null ? `${name} was renamed` : `${name} was renamed to ${newName}`
}
