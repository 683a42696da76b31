import { type ApplicationHealth, healthIn, verdictWords } from '../../ui/health.ts'
import { Icon } from '../../ui/icon.tsx'
import { wordOf } from '../../ui/words.ts'
import type { Application, Environment } from './applications.ts'

export interface DeployedProps {
  readonly application: Application
  /** Name of the environment. */
  readonly name: string
  /** `undefined` until it is known. */
  readonly health: readonly ApplicationHealth[] | undefined
}

/** An application in an environment: its health, its tag, and what is to know of it. */
export function Deployed({ application, name, health }: DeployedProps) {
  const environment = application.environments.find((other) => other.name === name)
  if (environment === undefined) return null
  const { pullRequest, state } = environment
  if (state === 'none' && pullRequest === null) {
    return (
      <span class="deployed-none">
        –<span class="sr">not deployed</span>
      </span>
    )
  }
  const tag = tagOf(environment)
  const verdict =
    health === undefined || !hasReached(environment)
      ? undefined
      : healthIn(health, application.entity, name)
  const status = verdict && wordOf(verdict.health)
  const words = [verdict && verdictWords(verdict), stateWords(environment)]
    .filter(Boolean)
    .join(' · ')
  return (
    <>
      {tag !== undefined && (
        <span class="deployed" title={tag}>
          <span class="deployed-mark" data-tone={status?.tone} title={verdict?.message}>
            {status !== undefined && <Icon name={status.icon} />}
            <span class="sr">{status?.label}</span>
          </span>
          <code>{tag}</code>
        </span>
      )}
      {words !== '' && <small title={words}>{words}</small>}
    </>
  )
}

function tagOf({ image }: Pick<Environment, 'image'>): string | undefined {
  if (image === null) return undefined
  return image.tag ?? image.digest?.slice(0, DIGEST_SHOWN) ?? undefined
}

/** `sha256:` and 12 digits. */
const DIGEST_SHOWN = 19

/** Whether something runs there, so that it has a health. */
const hasReached = ({ state }: Pick<Environment, 'state'>): boolean =>
  state === 'live' || state === 'ready_to_confirm'

/** State of an environment in words, beside its tag; nothing where all is as it should be. */
function stateWords({ state, pullRequest, behind, image }: Environment): string | undefined {
  if (pullRequest !== null) return `#${pullRequest} in review`
  if (state === 'pr_open') return 'in review'
  if (state === 'ready_to_confirm') return 'to confirm'
  if (state === 'none') return undefined
  if (behind !== null) return `behind ${behind}`
  return image === null ? 'no image' : undefined
}
