import { unknownGroupsAdvice } from '../../domain/access/unknown-groups.ts'
import type { Principal } from '../../ports/identity.ts'
import { PAGE_HEADERS, pageText } from './page.ts'

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
