import { Type } from 'typebox'
import { OTHER_RULES, TEXT_RULES } from '../schema/rules.ts'
import { problemCodes } from './problem.ts'

const FieldError = Type.Object({
  path: Type.String({
    description: 'JSON pointer into the body; `/query/…`, `/params/…` and `/headers/…` elsewhere',
  }),
  rule: Type.Union(
    [...Object.keys(TEXT_RULES), ...OTHER_RULES].toSorted().map((rule) => Type.Literal(rule)),
    { description: 'Rule that the field breaks, part of the contract' },
  ),
  message: Type.String({ description: 'The rule in words for people, with an example' }),
})

/** Schema of every error: RFC 9457 with extension members. `code` is the contract, `title` and `detail` are prose. */
export const Problem = Type.Object(
  {
    type: Type.String({ description: '`urn:portico:problem:` and the code' }),
    title: Type.String(),
    status: Type.Integer(),
    code: Type.Union(problemCodes.map((code) => Type.Literal(code))),
    detail: Type.Optional(Type.String()),
    instance: Type.String({ description: 'Path of the request' }),
    requestId: Type.String({ description: 'Id of the request in the log' }),
    loginUrl: Type.Optional(
      Type.String({ description: 'Where to sign in; open it in the browser, with `return_to`' }),
    ),
    errors: Type.Optional(
      Type.Array(FieldError, {
        description: 'All mistakes in the request, without the submitted values',
      }),
    ),
    required: Type.Optional(
      Type.Array(Type.String(), { description: 'Groups that may do this; one of them suffices' }),
    ),
    scopes: Type.Optional(
      Type.Array(Type.String(), { description: 'Scopes that the access token lacks' }),
    ),
    suggestions: Type.Optional(
      Type.Array(Type.String(), { description: 'Similar names that exist' }),
    ),
    where: Type.Optional(
      Type.Array(Type.String(), { description: 'Places where the name is in use' }),
    ),
    runId: Type.Optional(
      Type.String({ description: 'Id of your failed run, which you can retry' }),
    ),
    reason: Type.Optional(Type.String()),
    from: Type.Optional(Type.String()),
    to: Type.Optional(Type.String()),
    allowed: Type.Optional(Type.Array(Type.String(), { description: 'Targets that are allowed' })),
    pullRequest: Type.Optional(Type.Integer()),
    keys: Type.Optional(
      Type.Array(Type.String(), { description: 'Keys of secrets, never their values' }),
    ),
    limitBytes: Type.Optional(Type.Integer()),
    supported: Type.Optional(
      Type.Array(Type.String(), { description: 'Platforms that the client is available for' }),
    ),
    checks: Type.Optional(Type.Object({})),
  },
  { $id: 'Problem', additionalProperties: false },
)

/** A failure in an event stream. */
export const StreamedProblem = Type.Object(
  {
    code: Type.Union(problemCodes.map((code) => Type.Literal(code))),
    title: Type.String(),
    detail: Type.Optional(Type.String()),
    reason: Type.Optional(Type.String()),
    loginUrl: Type.Optional(Type.String()),
  },
  { $id: 'StreamedProblem' },
)

export const exampleProblemDetails = {
  type: 'urn:portico:problem:session_required',
  title: 'Sign in first',
  status: 401,
  code: 'session_required',
  loginUrl: '/api/v1/auth/login',
  instance: '/api/v1/catalog/entities',
  requestId: '01936b2e-7b1a-7c55-8d0e-5a3f0f6f2a11',
}
