import { useEffect } from 'preact/hooks'
import type { Workload } from '../../api/live/events.ts'
import { HEALTH_EVERY_MS, useResource } from '../../api/resource.ts'
import { useWatched } from '../../api/watched.ts'
import { PATHS, pathOf } from '../../paths.ts'
import { AnswerState } from '../../ui/answer-state.tsx'
import { Copy } from '../../ui/copy.tsx'
import { OutsideLink } from '../../ui/outside-link.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Card, Chip } from '../../ui/parts.tsx'
import { Age, Time } from '../../ui/time.tsx'
import type { PageProps } from '../page-props.ts'
import type { HistoryRow } from '../entity/history-words.ts'
import { changeTo } from '../entity/running-facts.ts'
import { ROWS_MAX } from '../entity/timeline.tsx'
import { Around, type WorkloadDetail } from './around.tsx'
import { useClusterName } from './cluster-name.ts'
import { Events } from './events.tsx'
import { shortImage } from './image.ts'
import { LiveMark } from './live-mark.tsx'
import { NotRead } from './not-read.tsx'
import type { Place } from './place.ts'
import { podsInOrder } from './pod-words.ts'
import { PodsTable } from './pods-table.tsx'
import { NoAnswer, Refused } from './refused.tsx'
import { RestartButton } from './restart-button.tsx'
import { isRestarted } from './rollout.ts'
import { WorkloadLog } from './workload-log.tsx'
import { WorkloadsTable } from './workloads-table.tsx'

const WORKLOAD = '/api/v1/clusters/{clusterId}/namespaces/{namespace}/workloads/{kind}/{name}'

/** A workload with its verdict, its pods, and what stands around it. */
export default function WorkloadPage({ parameters }: PageProps<'workload'>) {
  const { cluster, namespace, kind, name } = parameters
  const place = { cluster, namespace }
  const clusterName = useClusterName(cluster)
  const answer = useResource(WORKLOAD, {
    params: { clusterId: cluster, namespace, kind, name },
    everyMs: HEALTH_EVERY_MS,
  })
  const { value, problem } = answer
  const list = useWatched('workloads', place)
  const row = list.items?.find((each) => isNamed(each, kind, name)) ?? value
  const state = row && [row.health, row.reason, row.message, row.replicas, row.revision]
  useEffect(() => {
    if (value !== undefined) void answer.reload()
  }, [JSON.stringify(state)])
  return (
    <>
      <PageHead
        title={name}
        crumbs={[
          { label: 'Clusters', href: PATHS.clusters },
          { label: clusterName, href: PATHS.clusters },
          { label: namespace, href: pathOf('namespace', place) },
        ]}
        beside={
          <>
            <Copy text={name} name="the name" />
            {row !== undefined && <Chip of={row.health} />}
            <span class="muted">{row?.kind ?? kind}</span>
          </>
        }
      >
        <LiveMark isLive={list.isLive} />
        {row !== undefined && <Restart place={place} workload={row} />}
      </PageHead>
      {value === undefined && problem !== undefined ? (
        problem.code === 'cluster_forbidden' ? (
          <Refused place={place} problem={problem} />
        ) : (
          <NoAnswer problem={problem} />
        )
      ) : (
        <AnswerState answer={answer}>Reading the cluster…</AnswerState>
      )}
      {value !== undefined && row !== undefined && (
        <>
          <p class="pod-sentence">
            <bdi>{row.message}</bdi>{' '}
            {row.since !== null && (
              <span class="muted">
                · <Time at={row.since} />
              </span>
            )}
          </p>
          <div class="two">
            <Parts place={place} detail={value} />
            <aside class="stack" aria-label="Around it">
              <Around detail={value} />
            </aside>
          </div>
        </>
      )}
    </>
  )
}

const isNamed = (workload: Workload, kind: string, name: string): boolean =>
  workload.kind.toLowerCase() === kind && workload.name === name

interface RestartProps {
  readonly place: Place
  readonly workload: Workload
}

function Restart({ place, workload: { kind, name, suspended, replicas } }: RestartProps) {
  const rights = useResource('/api/v1/clusters/{clusterId}/namespaces', {
    params: { clusterId: place.cluster },
  })
  const isDeployment = kind === 'Deployment'
  const deployments = useWatched('deployments', isDeployment ? place : undefined)
  const restarted = kind.toLowerCase()
  if (!isRestarted(restarted)) return null
  const own = rights.value?.find((each) => each.name === place.namespace)
  const deployment = deployments.items?.find((each) => each.name === name)
  const target = { kind: restarted, name, isPaused: suspended, pods: replicas?.desired ?? 0 }
  return <RestartButton place={place} rights={own} target={target} deployment={deployment} />
}

interface PartsProps {
  readonly place: Place
  readonly detail: WorkloadDetail
}

const Parts = ({ place, detail }: PartsProps) => {
  const { pods, runs, revisions, events, refused } = detail
  return (
    <div class="stack">
      {detail.kind === 'CronJob' ? (
        <Card id="runs" title="Runs">
          <NotRead part={runs} refused={refused.includes('runs')} none="It has not run yet." />
          {runs !== null && runs.length > 0 && <WorkloadsTable place={place} workloads={runs} />}
        </Card>
      ) : null}
      <Card id="pods" title="Pods">
        <NotRead part={pods} refused={refused.includes('pods')} none="It has no pods now." />
        {pods !== null && pods.length > 0 && <PodsTable place={place} pods={podsInOrder(pods)} />}
      </Card>
      <Card id="log" title="Log">
        <WorkloadLog place={place} kind={detail.kind.toLowerCase()} name={detail.name} />
      </Card>
      {revisions?.length !== 0 && (
        <Card id="revisions" title="Revisions">
          <NotRead part={revisions} refused={refused.includes('revisions')} none="" />
          {revisions !== null &&
            (detail.inGit === null ? (
              <Revisions revisions={revisions} history={[]} />
            ) : (
              <RevisionsInGit revisions={revisions} inGit={detail.inGit} />
            ))}
        </Card>
      )}
      <Card id="events" title="Events">
        {events === null ? <NotRead part={events} refused none="" /> : <Events events={events} />}
      </Card>
    </div>
  )
}

interface RevisionsInGitProps {
  readonly revisions: NonNullable<WorkloadDetail['revisions']>
  readonly inGit: NonNullable<WorkloadDetail['inGit']>
}

/** With the pull request that made each. */
function RevisionsInGit({ revisions, inGit: { entity, environment } }: RevisionsInGitProps) {
  const { value = [] } = useResource('/api/v1/catalog/entities/{kind}/{name}/promotion/history', {
    params: { ...entity, kind: entity.kind.toLowerCase() },
    query: { environment, limit: ROWS_MAX },
  })
  return <Revisions revisions={revisions} history={value} />
}

interface RevisionsProps extends Pick<RevisionsInGitProps, 'revisions'> {
  readonly history: readonly HistoryRow[]
}

const Revisions = ({ revisions, history }: RevisionsProps) => (
  <table class="list words">
    <thead>
      <tr>
        <th scope="col">Image</th>
        <th scope="col" class="few">
          Revision
        </th>
        <th scope="col" class="few">
          Age
        </th>
      </tr>
    </thead>
    <tbody>
      {revisions.map(({ name, number, images, createdAt, isCurrent }) => (
        <tr key={name}>
          <td title={images.join(', ')}>
            <code>{images.map(shortImage).join(', ')}</code>{' '}
            {isCurrent && <span class="tag">current</span>} <Maker of={changeTo(images, history)} />
          </td>
          <td title={name}>{number}</td>
          <td>
            <Age at={createdAt} />
          </td>
        </tr>
      ))}
    </tbody>
  </table>
)

/** The pull request of a change. */
const Maker = ({ of }: { readonly of: HistoryRow | undefined }) =>
  of?.pullRequest == null ? null : (
    <OutsideLink url={of.pullRequest.url}>#{of.pullRequest.number}</OutsideLink>
  )
