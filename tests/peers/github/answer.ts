import type { Answer } from '#tests/peers/forge/answer.ts'

const DOCUMENTATION = 'https://docs.github.com/rest'

/** Ends a call with one of GitHub's refusals. */
export class Refusal extends Error {
  readonly answer: Answer

  constructor(
    status: number,
    message: string,
    more: { readonly headers?: Readonly<Record<string, string>>; readonly errors?: unknown } = {},
  ) {
    super(message)
    const { headers = {}, errors } = more
    const body = {
      message,
      ...(errors !== undefined && { errors }),
      documentation_url: DOCUMENTATION,
      status: String(status),
    }
    this.answer = { status, headers, body }
  }
}

export const notFound = () => new Refusal(404, 'Not Found')

/** 422 as GitHub says it, without a member that is to blame. */
export const unprocessable = (message: string) => new Refusal(422, message)

export const invalid = (
  resource: string,
  error: { readonly code: string; readonly field?: string; readonly message?: string },
  message = 'Validation Failed',
) => new Refusal(422, message, { errors: [{ resource, ...error }] })
