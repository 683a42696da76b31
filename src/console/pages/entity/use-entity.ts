import { useResource } from '../../api/resource.ts'
import type { Promotion } from './stage.ts'

/** The properties of a panel about the promotions of an entity. */
export interface PromotionProps {
  readonly promotion: Promotion
  readonly params: { readonly kind: string; readonly name: string }
}

/** An entity as the catalog has it. */
export const useEntity = (params: PromotionProps['params']) =>
  useResource('/api/v1/catalog/entities/{kind}/{name}', { params: { ...params }, topic: 'catalog' })

/** The largest page of the history. */
export const HISTORY_MAX = 50

/** Images that ran in an environment, newest first; `before` is the commit of the last row of the page before. */
export const useHistory = (
  { kind, name }: PromotionProps['params'],
  environment: string,
  before?: string,
) =>
  useResource('/api/v1/catalog/entities/{kind}/{name}/promotion/history', {
    params: { kind, name },
    query: { environment, limit: HISTORY_MAX, before },
    topic: `promotion:${kind}/${name}`,
  })

/** The largest page. */
const VERSIONS_MAX = 50
/** Age at which an answer from another repository is asked for again: no event tells of its changes. */
export const AFTER_MS = 300_000

/** The versions of an application that can be released, for one revision of its state. The page and its sheets share the answer. */
export const useVersions = (
  params: { readonly kind: string; readonly name: string } | null,
  version?: string,
) =>
  useResource(
    params === null ? null : '/api/v1/catalog/entities/{kind}/{name}/promotion/versions',
    { params: { ...params }, query: { limit: VERSIONS_MAX }, everyMs: AFTER_MS, version },
  )
