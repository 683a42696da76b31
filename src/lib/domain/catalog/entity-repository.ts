import { parseRepositoryId, type RepositoryId } from '../../names.ts'
import { isObject } from '../../text/json.ts'
import type { CatalogEntity } from './snapshot.ts'

const ANNOTATION = 'portico/repository'

/**
 * The repository of an entity. It has to belong to the organisation of the gitops repository: an annotation is not to open what else
 * the credentials of the portal could read.
 */
export function repositoryOf(
  { json }: Pick<CatalogEntity, 'json'>,
  gitops: Pick<RepositoryId, 'owner'>,
): RepositoryId | null {
  const entity: unknown = JSON.parse(json)
  const named = memberOf(memberOf(memberOf(entity, 'metadata'), 'annotations'), ANNOTATION)
  const id = typeof named === 'string' ? parseRepositoryId(named) : undefined
  return id !== undefined && organisationOf(id) === organisationOf(gitops) ? id : null
}

/** The owner, or the outermost of nested groups. */
const organisationOf = ({ owner }: Pick<RepositoryId, 'owner'>): string =>
  (owner.split('/')[0] ?? '').toLowerCase()

const memberOf = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
