import type { Environment } from './applications.ts'

export function tagOf({ image }: Pick<Environment, 'image'>): string | undefined {
  if (image === null) return undefined
  return image.tag ?? image.digest?.slice(0, DIGEST_SHOWN) ?? undefined
}

/** `sha256:` and 12 digits. */
const DIGEST_SHOWN = 19

/** Whether something runs there, so that it has a health. */
export const hasReached = ({ state }: Pick<Environment, 'state'>): boolean =>
  state === 'live' || state === 'ready_to_confirm'

/** State of an environment in words, beside its tag; nothing where all is as it should be. */
export function stateWords({ state, pullRequest, behind, image }: Environment): string | undefined {
  if (pullRequest !== null) return `#${pullRequest} in review`
  if (state === 'pr_open') return 'in review'
  if (state === 'ready_to_confirm') return 'to confirm'
  if (state === 'none') return undefined
  if (behind !== null) return `behind ${behind}`
  return image === null ? 'no image' : undefined
}
