import { useComputed } from '@preact/signals'
import { Icon } from '../../ui/icon.tsx'
import { wordOf } from '../../ui/words.ts'
import type { Application } from './applications.ts'
import { healthOf, placesOf, stateWords, tagOf } from './deployed.ts'
import { knownDeployments, readableNamespaces } from './health.tsx'

export interface DeployedProps {
  readonly application: Application
  /** Of the environment. */
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
  const words = stateWords(environment)
  return (
    <>
      {tag !== undefined && (
        <span class="catalog-tag">
          {health.value !== undefined && <Health of={health.value} />}
          <code>{tag}</code>
        </span>
      )}
      {words !== undefined && <small>{words}</small>}
    </>
  )
}

function Health({ of }: { readonly of: string }) {
  const { tone, icon, label } = wordOf(of)
  return (
    <span class="status" data-tone={tone}>
      <Icon name={icon} />
      <span class="sr">{label}</span>
    </span>
  )
}
