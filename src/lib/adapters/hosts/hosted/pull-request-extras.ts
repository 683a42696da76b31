import { setTimeout as sleep } from 'node:timers/promises'
import type { RepositoryId } from '../../../names.ts'
import type { GitAnswer } from '../../../ports/git-host.ts'
import { type Answer, apiPath, messageOf } from './api/client.ts'
import { failureText } from '../../../ports/git-host/failure-text.ts'
import type { Hosted } from './hosted.ts'
import { nameOf, pathOf } from './known-repositories.ts'
import type { Reviewer } from './settings.ts'

/** GitHub's replicas may not have a pull request yet that was opened a moment ago. A team that the credentials may not see has another id. */
const UNSEEN = /Could not resolve to a node with the global id of 'PR_/
const UNSEEN_WAITS_MS = [1_000, 2_000]

/** Adds labels, by name or by id, and reviewers. The pull request is open already, so that a failure is logged and no more. */
export async function addExtras(
  { client, log, pullRequests: { reviewers } }: Hosted,
  repository: RepositoryId,
  number: number,
  labels: readonly (string | number)[],
): Promise<void> {
  const post = async (path: string, body: object): GitAnswer<Answer> => {
    for (const waitMs of UNSEEN_WAITS_MS) {
      const answer = await client.write('POST', path, body)
      const isUnseen = answer.ok && UNSEEN.test(JSON.stringify(answer.value.json))
      if (!isUnseen) return answer
      await sleep(waitMs)
    }
    return client.write('POST', path, body)
  }
  const send = async (extra: string, path: string, body: object) => {
    const answer = await post(`${pathOf(repository)}${path}`, body)
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
