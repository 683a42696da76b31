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

/**
 * Leads the browser to a program with the outcome of its request. A page, because a redirect would belong to the form that the person
 * has sent at the identity provider, whose policy may allow it to lead to the portal alone (`form-action`).
 */
export function goOnPage(request: Request, next: string, setCookie: string | null): Response {
  const { requestId } = contextOf(request)
  const text = pageText({
    title: 'Back to the program',
    paragraphs: ['You can close this page when the program has gone on.'],
    actions: [{ label: 'Go on', href: next }],
    next,
    requestId,
  })
  return new Response(text, {
    headers: { ...PAGE_HEADERS, ...(setCookie !== null && { 'set-cookie': setCookie }) },
  })
}
