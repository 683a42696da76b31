import { type ApplicationHealth, healthIn, verdictWords } from '../../ui/health.ts'
import { Icon } from '../../ui/icon.tsx'
import { wordOf } from '../../ui/words.ts'
import type { Application } from './applications.ts'
import { hasReached, stateWords, tagOf } from './deployed.ts'

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
