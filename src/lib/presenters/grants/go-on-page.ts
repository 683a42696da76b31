import { contextOf } from '../../http/request-context.ts'
import { PAGE_HEADERS, pageText } from '../sign-in/page.ts'

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
