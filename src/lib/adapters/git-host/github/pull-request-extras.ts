import type { RepositoryId } from '../../../names.ts'
import { apiPath, messageOf } from '../hosted/client.ts'
import { failureText } from '../hosted/failure-text.ts'
import type { Reviewer } from '../hosted/settings.ts'
import type { GitHub } from './github.ts'
import { nameOf, pathOf } from './known-repositories.ts'

/** Settings of new pull requests. */
export interface PullRequestPolicy {
  readonly labels: readonly string[]
  readonly reviewers: readonly Reviewer[]
}

/** Labels and asked reviewers. The pull request is open without them as well, so that a failure is logged alone. */
export async function addExtras(
  { client, log }: GitHub,
  repository: RepositoryId,
  number: number,
  { labels, reviewers }: PullRequestPolicy,
): Promise<void> {
  const send = async (extra: string, path: string, body: object) => {
    const answer = await client.write('POST', `${pathOf(repository)}${path}`, body)
    if (answer.ok && answer.value.status < 300) return
    const reason = answer.ok
      ? `answered with ${answer.value.status}: ${messageOf(answer.value)}`
      : failureText(answer.error)
    const fields = { repository: nameOf(repository), number, extra, reason }
    log.warn(fields, 'a pull request lacks an extra')
  }
  if (labels.length > 0) await send('labels', apiPath`/issues/${number}/labels`, { labels })
  if (reviewers.length > 0) {
    const named = (kind: Reviewer['kind']) =>
      reviewers.filter((reviewer) => reviewer.kind === kind).map(({ name }) => name)
    await send('reviewers', apiPath`/pulls/${number}/requested_reviewers`, {
      reviewers: named('person'),
      team_reviewers: named('team'),
    })
  }
}
