import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { RepositoryId } from '../../../names.ts'
import { apiPath, type HostClient } from '../hosted/api/client.ts'
import { pathOf } from '../hosted/known-repositories.ts'

const LABELS_PER_PAGE = 50
const PAGES_MAX = 20
const Label = Compile(Type.Object({ id: Type.Integer(), name: Type.String() }))

/** Ids of labels of a repository and of its organisation, by name; Gitea before 1.23 takes labels by id alone. */
export async function labelIds(
  client: Pick<HostClient, 'readPages'>,
  repository: RepositoryId,
  labels: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const ids = new Map<string, number>()
  for (const path of [apiPath`/orgs/${repository.owner}/labels`, `${pathOf(repository)}/labels`]) {
    const pages = await client.readPages(path, {
      query: { limit: LABELS_PER_PAGE },
      pagesMax: PAGES_MAX,
    })
    // Refused: the owner is a person.
    if (!pages.ok || pages.value.kind === 'refused') continue
    for (const item of pages.value.items) {
      if (Label.Check(item) && labels.includes(item.name)) ids.set(item.name, item.id)
    }
  }
  return ids
}
