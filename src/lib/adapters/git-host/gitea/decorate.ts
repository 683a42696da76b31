import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { RepositoryId } from '../../../names.ts'
import { apiPath, type HostClient } from '../hosted/client.ts'
import type { Reviewer } from '../hosted/settings.ts'
import type { GitHostMeans } from '../means.ts'

const LABELS_PER_PAGE = 50
const PAGES_MAX = 20
const Label = Compile(Type.Object({ id: Type.Integer(), name: Type.String() }))

export interface PullRequestSettings {
  readonly labels: readonly string[]
  readonly reviewers: readonly Reviewer[]
}

type Client = Pick<HostClient, 'write' | 'readPages'>

/** Labels and reviewers of a new pull request. It is open already: what fails is logged. */
export const createDecorate =
  (
    client: Client,
    { labels, reviewers }: PullRequestSettings,
    log: Pick<GitHostMeans['log'], 'warn'>,
  ) =>
  async ({ owner, name }: RepositoryId, number: number): Promise<void> => {
    const pullRequest = `${owner}/${name}#${number}`
    if (labels.length > 0) {
      const ids = await idsOf(client, { owner, name }, labels)
      const missing = labels.filter((label) => !ids.has(label))
      if (missing.length > 0) log.warn({ pullRequest, missing }, 'labels do not exist at the host')
      if (ids.size > 0) {
        const path = apiPath`/repos/${owner}/${name}/issues/${number}/labels`
        const answer = await client.write('POST', path, {
          labels: [...ids.values()],
        })
        const status = answer.ok ? answer.value.status : answer.error.kind
        if (status !== 200) log.warn({ pullRequest, status }, 'labels could not be added')
      }
    }
    if (reviewers.length > 0) {
      const named = (kind: Reviewer['kind']) =>
        reviewers.filter((reviewer) => reviewer.kind === kind).map((reviewer) => reviewer.name)
      const path = apiPath`/repos/${owner}/${name}/pulls/${number}/requested_reviewers`
      const body = {
        reviewers: named('person'),
        team_reviewers: named('team'),
      }
      const answer = await client.write('POST', path, body)
      const status = answer.ok ? answer.value.status : answer.error.kind
      if (status !== 201) log.warn({ pullRequest, status }, 'reviewers could not be requested')
    }
  }

/** Ids of labels of a repository and of its organisation; Gitea before 1.23 knows labels by id alone. */
async function idsOf(
  client: Pick<HostClient, 'readPages'>,
  { owner, name }: RepositoryId,
  labels: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const ids = new Map<string, number>()
  for (const path of [apiPath`/orgs/${owner}/labels`, apiPath`/repos/${owner}/${name}/labels`]) {
    const pages = await client.readPages(path, {
      query: { limit: LABELS_PER_PAGE },
      pagesMax: PAGES_MAX,
    })
    // 404: the owner is a person.
    if (!pages.ok || pages.value.status !== 200) continue
    for (const item of pages.value.items) {
      if (Label.Check(item) && labels.includes(item.name)) ids.set(item.name, item.id)
    }
  }
  return ids
}
