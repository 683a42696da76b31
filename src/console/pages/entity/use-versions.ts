import { useEffect, useRef } from 'preact/hooks'
import { useResource } from '../../api/resource.ts'

/** The largest page. */
const VERSIONS_MAX = 50
/** What is read from another repository, which tells nothing of its changes. */
export const AFTER_MS = 300_000

/** What can be released of an application. The page and its sheets share the answer. */
export const useVersions = (params: { readonly kind: string; readonly name: string } | null) =>
  useResource(
    params === null ? null : '/api/v1/catalog/entities/{kind}/{name}/promotion/versions',
    params === null
      ? {}
      : {
          params: { kind: params.kind, name: params.name },
          query: { limit: VERSIONS_MAX },
          everyMs: AFTER_MS,
        },
  )

/** Asks again once the state that an answer goes with is of another commit. */
export function useWith(reload: () => unknown, revision: string | undefined) {
  const before = useRef(revision)
  useEffect(() => {
    if (before.current !== undefined && before.current !== revision) void reload()
    before.current = revision
  }, [revision])
}
