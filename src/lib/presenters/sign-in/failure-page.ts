import type { FailedSignIn } from '../../domain/access/sign-in/sign-in.ts'
import type { Value } from '../../http/html.ts'
import { preferredFormat } from '../../http/negotiation.ts'
import { problem } from '../../http/problem.ts'
import { contextOf } from '../../http/request-context.ts'
import { PAGE_HEADERS, type PageContent, pageText } from './page.ts'
import { unknownGroupsAdvice } from '../../domain/access/unknown-groups.ts'
import type { Principal } from '../../ports/identity.ts'

type Failure = FailedSignIn['failure']

interface Explanation {
  readonly title: string
  readonly paragraphs: readonly Value[]
}

const TELL = 'If it happens again, tell the people who run this portal, with the request id below.'
const STILL_SIGNED_IN = 'People who are signed in can go on working.'

const unusable = {
  title: 'The identity provider gave an answer that cannot be used',
  paragraphs: [
    'The portal could not begin or complete your sign-in with that answer. The reason is in the log of the portal.',
    'Tell the people who run this portal, with the request id below.',
  ],
}
const away = {
  title: 'The identity provider does not answer',
  paragraphs: [
    `The portal cannot sign anybody in until it is back. ${STILL_SIGNED_IN}`,
    `Wait a minute, then try again. ${TELL}`,
  ],
}

/** Title and paragraphs of a failure: the cause, then the cure. */
const explanations: { readonly [Kind in Failure['kind']]: Explanation } = {
  sign_in_refused: {
    title: 'You were not signed in',
    paragraphs: [
      'The identity provider refused the sign-in, it was cancelled there, or it was not as strong as this portal asks for, such as without a second factor.',
      'If you cancelled it, try again. If not, ask the people who run the identity provider whether you may use this portal.',
    ],
  },
  sign_in_expired: {
    title: 'This sign-in has expired',
    paragraphs: [
      'A sign-in has to be completed within ten minutes, in the browser in which it began, and counts once. The Back button, a bookmark of the sign-in page or blocked cookies lead here too.',
      'Try again: that begins a new sign-in.',
    ],
  },
  sign_in_clock: {
    title: 'Two clocks do not agree',
    paragraphs: [
      'The clock of the portal and the clock of the identity provider are too far apart, so that the sign-in could not be verified. Your own computer is not the cause.',
      'Tell the people who run this portal that one of the two clocks is wrong. Trying again helps once it is right.',
    ],
  },
  sign_in_invalid: {
    title: 'The sign-in could not be verified',
    paragraphs: [
      'What came back from the identity provider does not belong to a sign-in that began here. Nobody was signed in by it.',
      `Try again. ${TELL}`,
    ],
  },
  identity_not_configured: {
    title: 'Nobody can sign in here yet',
    paragraphs: [
      'This installation has no identity provider.',
      'Tell the people who run this portal to set OIDC_ISSUER and the settings that belong to it.',
    ],
  },
  identity_unreachable: away,
  identity_timeout: away,
  identity_error: unusable,
  identity_rejected: unusable,
  rate_limited: {
    title: 'Too many sign-ins have failed',
    paragraphs: [
      'This one failed too, and so many came from your network in the last minute that the portal now limits them.',
      `Wait a minute, then try again. ${TELL}`,
    ],
  },
  database_unavailable: {
    title: 'The portal cannot sign you in now',
    paragraphs: [
      'Its database cannot be used at the moment.',
      `Wait a minute, then try again. ${TELL}`,
    ],
  },
}

/** A failed sign-in: a page for browsers, problem details for everybody else. */
export function failedSignIn(
  request: Request,
  { failure, returnTo, setCookie }: FailedSignIn,
): Response {
  const details = problem(request, failure)
  const response =
    preferredFormat(request) === 'html' ? asPage(request, failure, returnTo, details) : details
  response.headers.set('vary', PAGE_HEADERS.vary)
  if (setCookie !== null) response.headers.append('set-cookie', setCookie)
  return response
}

function asPage(
  request: Request,
  failure: Failure,
  returnTo: string | null,
  { status, headers }: Response,
): Response {
  const { requestId, session } = contextOf(request)
  const { title, paragraphs } = explanations[failure.kind]
  const isSignedIn = session.kind === 'active'
  const stillSignedIn = isSignedIn
    ? [`You are still signed in as ${session.session.principal.name}.`]
    : []
  const tryAgain = { label: 'Try again', href: loginPath(returnTo) }
  const goOn = { label: 'Go on without signing in again', href: returnTo ?? '/' }
  const actions: PageContent['actions'] = isSignedIn ? [tryAgain, goOn] : [tryAgain]
  const text = pageText({
    title,
    paragraphs: [...paragraphs, ...stillSignedIn],
    actions,
    requestId,
  })
  const retryAfter = headers.get('retry-after')
  return new Response(text, {
    status,
    headers: { ...PAGE_HEADERS, ...(retryAfter !== null && { 'retry-after': retryAfter }) },
  })
}

const loginPath = (returnTo: string | null): string => {
  const login = '/api/v1/auth/login'
  return returnTo === null
    ? login
    : `${login}?${new URLSearchParams({ return_to: returnTo }).toString()}`
}

/** For a person who signed in and whose groups are not known; `undefined` where they are. */
export function unknownGroupsPage(
  { name, groups }: Principal,
  returnTo: string,
  requestId: string,
): Response | undefined {
  const advice = unknownGroupsAdvice(groups)
  if (advice === null) return undefined
  const text = pageText({
    title: 'You are signed in, but without your groups',
    paragraphs: [
      `You are signed in as ${name}. The portal does not know your groups, so that you can look around, but everything that needs a group is refused.`,
      advice,
      'Pass this on to the people who run this portal, and sign in again when it has been changed.',
    ],
    actions: [{ label: 'Go on', href: returnTo }],
    requestId,
  })
  return new Response(text, { headers: PAGE_HEADERS })
}
