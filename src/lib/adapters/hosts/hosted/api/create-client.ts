import { MOVED } from '../../../../outbound/redirect.ts'
import { err } from '../../../../result.ts'
import type { HostClient, ReadOptions } from './client.ts'
import { jsonAnswer } from './exchange.ts'
import { readPages } from './pages.ts'
import { createRememberedAnswers } from './remembered-answers.ts'
import { createSender, type SenderOptions } from './sender.ts'

const DEADLINE_MS = 10_000
const JSON_MAX_BYTES = 32 * 1024 * 1024

export interface HostClientOptions extends SenderOptions {
  /** Headers of every request. */
  readonly headers: Readonly<Record<string, string>>
  readonly deadlineMs?: number
}

/** The API of a git host over HTTP. */
export function createHostClient({
  headers,
  deadlineMs = DEADLINE_MS,
  ...options
}: HostClientOptions): HostClient {
  const { root } = options
  const send = createSender(options)
  const remembered = createRememberedAnswers()

  const read: HostClient['read'] = (path, { query, maxBytes = JSON_MAX_BYTES } = {}) => {
    const url = urlOf(root, path, query)
    const earlier = remembered.get(url)
    const condition = earlier !== undefined && { 'if-none-match': earlier.etag }
    return send({
      kind: 'read',
      deadlineMs,
      request: {
        method: 'GET',
        url,
        headers: { ...headers, ...condition },
        maxBytes,
        followsRedirects: true,
      },
      take(answer) {
        if (answer.status === 304 && earlier !== undefined) return jsonAnswer(earlier.answer)
        const taken = jsonAnswer(answer)
        if (taken.ok) remembered.note(url, answer)
        return taken
      },
    })
  }

  return {
    read,

    readPages: (path, options) => readPages(read, path, options),

    async write(method, path, body, options = {}) {
      const type = body !== undefined && { 'content-type': 'application/json' }
      const answer = await send({
        kind: options.isQuestion ? 'read' : 'write',
        deadlineMs: options.deadlineMs ?? deadlineMs,
        request: {
          method,
          url: urlOf(root, path),
          headers: { ...headers, ...type },
          ...(body !== undefined && { body: JSON.stringify(body) }),
          maxBytes: JSON_MAX_BYTES,
          followsRedirects: false,
        },
        take: jsonAnswer,
      })
      if (!answer.ok || !MOVED.has(answer.value.status)) return answer
      // A host redirects requests for a repository that has another name now; a write would be repeated there.
      const [, repository = 'what is written to'] = /^\/repos\/([^/]+\/[^/]+)/.exec(path) ?? []
      return err({ kind: 'git_denied', what: `${repository} was renamed` })
    },
  }
}

function urlOf(root: string, path: string, query: ReadOptions['query'] = {}): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) parameters.set(name, String(value))
  return parameters.size === 0 ? `${root}${path}` : `${root}${path}?${parameters.toString()}`
}
