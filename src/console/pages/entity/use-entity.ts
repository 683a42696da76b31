import { useResource } from '../../api/resource.ts'

/** An entity as the catalog has it. */
export const useEntity = (params: { readonly kind: string; readonly name: string }) =>
  useResource('/api/v1/catalog/entities/{kind}/{name}', { params: { ...params }, topic: 'catalog' })

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
