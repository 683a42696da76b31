import type { GitFailure } from '../../../../ports/git-host.ts'
import { hostPhrase } from '../../../../git/host-words.ts'
import { type Answer, messageOf, refusalOf, type Subject } from '../../hosted/api/client.ts'

/**
 * The failure that an operation takes an unsuccessful answer of GitHub for. GitHub gives 403 for several reasons, which header or text
 * tell apart ("Troubleshooting the REST API"); 404 also for what the credentials may not see.
 */
export function gitHubRefusal(answer: Answer, { repository, right }: Subject): GitFailure {
  if (answer.status !== 403) return refusalOf(answer, { repository, right })
  return { kind: 'git_denied', what: reasonOf(answer, { repository, right }) }
}

function reasonOf(answer: Answer, { repository, right }: Subject): string {
  const message = messageOf(answer)
  if (answer.headers.has('x-github-sso') || /\bSAML\b/i.test(message)) {
    return `the credentials are not authorized for the single sign-on of ${repository}`
  }
  if (/\bIP allow list\b/i.test(message)) {
    return `the IP allow list of ${repository} does not have our address`
  }
  if (/\barchived\b/i.test(message)) return `${repository} is archived`
  const accepted = acceptedPermissions(answer.headers)
  if (/not accessible by|must have admin/i.test(message)) {
    return `${accepted ?? right} on ${repository}`
  }
  return `${right} on ${repository}${message === '' ? '' : ` (${message})`}`
}

/** `contents=write,workflows=write; administration=write` as "contents: write and workflows: write or administration: write". */
function acceptedPermissions(headers: Headers): string | null {
  const header = headers.get('x-accepted-github-permissions') ?? ''
  const sets = header.split(';').map((set) =>
    set
      .split(',')
      .map((permission) => /^\s*([a-z_]+)=(read|write|admin)\s*$/.exec(permission))
      .flatMap((found) => (found === null ? [] : `${found[1]}: ${found[2]}`))
      .join(' and '),
  )
  const known = sets.filter((set) => set !== '').join(' or ')
  return known === '' ? null : hostPhrase(known)
}
