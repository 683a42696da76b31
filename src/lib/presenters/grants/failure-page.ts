import type { AuthorizationFailure } from '../../domain/access/grants/authorization.ts'
import { problem } from '../../http/problem.ts'
import { contextOf } from '../../http/request-context.ts'
import { preferredFormat } from '../../http/negotiation.ts'
import { PAGE_HEADERS, pageText } from '../sign-in/page.ts'

type Failure =
  | Exclude<AuthorizationFailure, { kind: 'authorization_invalid' }>
  | {
      readonly kind: 'consent_expired'
    }

const explanations: { readonly [Kind in Failure['kind']]: string } = {
  client_unknown:
    'This portal does not know the program. Its operators have to put the address of the metadata document of the program into OAUTH_CLIENTS.',
  client_unusable:
    'The metadata document of the program cannot be read, or is not one. The reason is in the log of the portal.',
  redirect_uri_invalid:
    'The program asked to have the answer sent to an address that is not its own. Nothing was sent there.',
  authorization_repeated_parameter: 'The request names one thing twice.',
  consent_expired:
    'This page was answered already, was open for more than ten minutes, or belongs to another session. Start again in the program.',
}

/** A request of a program that cannot be answered to the program: a page for browsers, problem details for everybody else. */
export function failedAuthorization(request: Request, failure: Failure): Response {
  const { requestId } = contextOf(request)
  const details = problem(request, failure)
  if (preferredFormat(request) !== 'html') return details
  const text = pageText({
    title: 'The program cannot be allowed',
    paragraphs: [explanations[failure.kind]],
    actions: [{ label: 'To the portal', href: '/' }],
    requestId,
  })
  return new Response(text, { status: details.status, headers: PAGE_HEADERS })
}
