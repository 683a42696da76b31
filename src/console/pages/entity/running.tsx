import { type Deployment, useWatched } from '../../api/watched.ts'
import { pathOf } from '../../paths.ts'
import { Icon } from '../../ui/icon.tsx'
import { Status } from '../../ui/parts.tsx'
import { wordOf } from '../../ui/words.ts'
import { LiveMark } from '../clusters/live-mark.tsx'
import { isUnderWay } from '../clusters/rollout.ts'
import type { Environment } from './stage.ts'
import { dotsOf, readyWords, versionGap } from './running-facts.ts'

interface RunningProps {
  readonly environment: Environment
  readonly app: string
}

type Place = Environment['runsOn'][number]

/** The clusters of an environment say how it runs. Before its first overlay there is nothing to ask for. */
export function Running({ environment, app }: RunningProps) {
  const { runsOn, overlay, name } = environment
  if (!overlay) return null
  return (
    <div class="pipe-load">
      {runsOn.length === 0 && (
        <p class="muted">You can see no cluster that carries {name}, or there is none.</p>
      )}
      {runsOn.map((place) =>
        place.allowed === true ? (
          <RunningInPlace
            key={`${place.cluster}/${place.namespace}`}
            place={place}
            environment={environment}
            app={app}
          />
        ) : (
          <p key={`${place.cluster}/${place.namespace}`} class="muted">
            {place.cluster} / {place.namespace}:{' '}
            {place.allowed === null
              ? 'the cluster cannot be asked now.'
              : 'the cluster does not allow you to look at it.'}
          </p>
        ),
      )}
    </div>
  )
}

interface RunningInPlaceProps extends RunningProps {
  readonly place: Place
}

function RunningInPlace({ place, environment, app }: RunningInPlaceProps) {
  const { items, problem, isLive } = useWatched('deployments', place)
  const { cluster, namespace } = place
  return (
    <>
      {/* With earlier items the mark says it, and the panel of the pods says why. */}
      {problem !== undefined && items === undefined && (
        <p class="pipe-gap" data-tone="warn">
          <Icon name="warn" />
          <span>
            {problem.title}. {problem.detail}
          </span>
        </p>
      )}
      {items === undefined && problem === undefined && <p class="muted">Asking the cluster…</p>}
      {items?.length === 0 && <p class="muted">The cluster has no deployment of {app} yet.</p>}
      {items?.map((deployment) => (
        <RunningDeployment key={deployment.uid} deployment={deployment} environment={environment} />
      ))}
      <LiveMark isLive={isLive && items !== undefined && problem === undefined}>
        {' · '}
        <a href={pathOf('namespace', { cluster, namespace })}>{`${cluster} / ${namespace}`}</a>
      </LiveMark>
    </>
  )
}

interface RunningDeploymentProps {
  readonly deployment: Deployment
  readonly environment: Environment
}

function RunningDeployment({ deployment, environment: { image, config } }: RunningDeploymentProps) {
  const { status, statusMessage } = deployment
  const gap = versionGap(deployment, image)
  return (
    <div class="pipe-running" data-tone={wordOf(status).tone}>
      <p>
        <span class="pipe-dots" aria-hidden="true">
          {dotsOf(deployment).map((isReady, index) => (
            // oxlint-disable-next-line react/no-array-index-key
            <i key={index} class={isReady ? undefined : 'off'} />
          ))}
        </span>
        <Status of={status} /> {readyWords(deployment, config.replicas)}
      </p>
      {isUnderWay(deployment) && <p class="muted">{statusMessage}</p>}
      {gap !== null && (
        <p class="pipe-gap" data-tone="warn">
          <Icon name="warn" />
          <span>{gap}</span>
        </p>
      )}
    </div>
  )
}
