import type { RepositoryId } from '../../../names.ts'
import { apiPath, messageOf } from './api/client.ts'
import { failureText } from '../../../ports/git-host/failure-text.ts'
import type { Hosted } from './hosted.ts'
import { nameOf, pathOf } from './known-repositories.ts'
import type { Reviewer } from './settings.ts'

/** Adds labels, by name or by id, and reviewers. The pull request is open already, so that a failure is logged and no more. */
export async function addExtras(
  { client, log, pullRequests: { reviewers } }: Hosted,
  repository: RepositoryId,
  number: number,
  labels: readonly (string | number)[],
): Promise<void> {
  const send = async (extra: string, path: string, body: object) => {
    const answer = await client.write('POST', `${pathOf(repository)}${path}`, body)
    if (answer.ok && answer.value.status < 300) return
    const reason = answer.ok
      ? `answered with ${answer.value.status}: ${messageOf(answer.value)}`
      : failureText(answer.error)
    const fields = { repository: nameOf(repository), number, reason }
    log.warn(fields, `a new pull request has no ${extra}`)
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
