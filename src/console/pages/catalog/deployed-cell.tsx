import { useComputed } from '@preact/signals'
import { Icon } from '../../ui/icon.tsx'
import { wordOf } from '../../ui/words.ts'
import type { Application } from './applications.ts'
import { healthOf, placesOf, stateWords, tagOf } from './deployed.ts'
import { knownDeployments, readableNamespaces } from './health.tsx'

export interface DeployedProps {
  readonly application: Application
  /** Name of the environment. */
  readonly name: string
}

/** An application in an environment: how it fares, its tag, and what is to know of it. */
export function Deployed({ application, name }: DeployedProps) {
  const environment = application.environments.find((other) => other.name === name)
  const health = useComputed(() =>
    healthOf(
      application,
      placesOf(application, name, readableNamespaces.value),
      knownDeployments.value,
    ),
  )
  if (environment === undefined) return null
  const tag = tagOf(environment)
  const status = health.value === undefined ? undefined : wordOf(health.value)
  const isWell = health.value === 'Available'
  const words = [isWell ? undefined : status?.label, stateWords(environment)].filter(Boolean)
  return (
    <>
      {tag !== undefined && (
        <span class="catalog-tag">
          {status !== undefined && (
            <span class="status" data-tone={status.tone}>
              <Icon name={status.icon} />
              {isWell && <span class="sr">{status.label}</span>}
            </span>
          )}
          <code>{tag}</code>
        </span>
      )}
      {words.length > 0 && <small>{words.join(' · ')}</small>}
    </>
  )
}
