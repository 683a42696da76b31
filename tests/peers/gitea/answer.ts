import type { Answer } from '#tests/peers/forge/answer.ts'

/** Ends a call with one of Gitea's refusals. */
export class Refusal extends Error {
  readonly answer: Answer

  constructor(status: number, message: string, more: object = {}) {
    super(message)
    this.answer = { status, body: { ...more, message, url: 'http://gitea.test/api/swagger' } }
  }
}

/** Gitea's 404 lists its reasons, mostly none. */
export const notFound = (message = 'not found', reasons: readonly string[] | null = null) =>
  new Refusal(404, message, { errors: reasons })

export const ok = (body: unknown, headers: Readonly<Record<string, string>> = {}): Answer => ({
  status: 200,
  headers,
  body,
})
export const created = (body: unknown): Answer => ({ status: 201, body })
export const NO_CONTENT: Answer = { status: 204 }
