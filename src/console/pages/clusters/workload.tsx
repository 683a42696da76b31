import { useList } from '../../api/lists.ts'
import type { Workload } from '../../api/live/events.ts'
import { HEALTH_EVERY_MS, useResource } from '../../api/resource.ts'
import type { PageProps } from '../../paths.ts'
import { Card, Chip } from '../../ui/card.tsx'
import { Copy } from '../../ui/copy.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { OutsideLink } from '../../ui/link.tsx'
import { AnswerState } from '../../ui/parts.tsx'
import { Age, Since } from '../../ui/time.tsx'
import type { HistoryRow } from '../entity/history-words.ts'
import { changeTo } from '../entity/running-facts.ts'
import { Around, NotRead, useImageHistory, type WorkloadDetail } from './around.tsx'
import { Events } from './events.tsx'
import { shortImage } from './image.ts'
import { WorkloadLog } from './logs.tsx'
import { NotShown } from './not-shown.tsx'
import { PlaceHead } from './place-head.tsx'
import type { Place } from './place.ts'
import { podsInOrder } from './pod-words.ts'
import { PodsTable } from './pods-table.tsx'
import { RestartButton } from './restart-button.tsx'
import { isRestarted } from './rollout.ts'
import { WorkloadsTable } from './workloads-table.tsx'

const WORKLOAD = '/api/v1/clusters/{clusterId}/namespaces/{namespace}/workloads/{kind}/{name}'

/** A workload with its verdict, its pods, and what stands around it. */
export default function WorkloadPage({ parameters }: PageProps<'workload'>) {
  const { cluster, namespace, kind, name } = parameters
  const place = { cluster, namespace }
  const list = useList('workloads', place)
  const listed = list.value?.find((each) => isNamed(each, kind, name))
  const answer = useResource(WORKLOAD, {
    params: { clusterId: cluster, namespace, kind, name },
    everyMs: HEALTH_EVERY_MS,
    version:
      listed &&
      JSON.stringify([
        listed.health,
        listed.reason,
        listed.message,
        listed.replicas,
        listed.revision,
      ]),
  })
  const { value, problem } = answer
  const row = listed ?? value
  return (
    <>
      <PlaceHead
        place={place}
        title={name}
        isLive={list.isLive}
        beside={
          <>
            <Copy text={name} name="the name" />
            {row !== undefined && <Chip of={row.health} />}
            <span class="muted">
              {row?.kind ?? kind}
              {row?.schedule != null && ` · ${row.schedule}`}
            </span>
          </>
        }
      >
        {row !== undefined && <Restart place={place} workload={row} />}
      </PlaceHead>
      {value === undefined && problem !== undefined ? (
        <NotShown place={place} problem={problem} />
      ) : (
        <AnswerState answer={answer}>Reading the cluster…</AnswerState>
      )}
      {value !== undefined && row !== undefined && (
        <>
          <p class="pod-sentence">
            <bdi>{row.message}</bdi> {row.since !== null && <Since at={row.since} />}
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
  const deployments = useList('deployments', isDeployment ? { ...place, name } : undefined)
  const restarted = kind.toLowerCase()
  if (!isRestarted(restarted)) return null
  const own = rights.value?.find((each) => each.name === place.namespace)
  const deployment = deployments.value?.[0]
  const target = { kind: restarted, name, isPaused: suspended, pods: replicas?.desired ?? 0 }
  return <RestartButton place={place} rights={own} target={target} deployment={deployment} />
}

const Parts = ({ place, detail }: { readonly place: Place; readonly detail: WorkloadDetail }) => {
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
          {revisions !== null && <Revisions revisions={revisions} inGit={detail.inGit} />}
        </Card>
      )}
      <Card id="events" title="Events">
        {events === null ? <NotRead part={events} refused none="" /> : <Events events={events} />}
      </Card>
    </div>
  )
}

type Revision = NonNullable<WorkloadDetail['revisions']>[number]

interface RevisionsProps extends Pick<WorkloadDetail, 'inGit'> {
  readonly revisions: readonly Revision[]
}

/** With the pull request that made each, where it is an application in git. */
function Revisions({ revisions, inGit }: RevisionsProps) {
  const { value = [] } = useImageHistory(inGit)
  return (
    <DataTable
      columns={revisionColumns(value)}
      rows={revisions}
      keyOf={(revision) => revision.name}
    />
  )
}

const revisionColumns = (history: readonly HistoryRow[]): readonly Column<Revision>[] => [
  {
    label: 'Image',
    title: ({ images }) => images.join(', '),
    cell: ({ images, isCurrent }) => (
      <>
        <code>{images.map(shortImage).join(', ')}</code>{' '}
        {isCurrent && <span class="tag">current</span>} <Maker of={changeTo(images, history)} />
      </>
    ),
  },
  { label: 'Revision', class: 'few', title: ({ name }) => name, cell: ({ number }) => number },
  { label: 'Age', class: 'few', cell: ({ createdAt }) => <Age at={createdAt} /> },
]

/** The pull request of a change. */
const Maker = ({ of }: { readonly of: HistoryRow | undefined }) =>
  of?.pullRequest == null ? null : (
    <OutsideLink url={of.pullRequest.url}>#{of.pullRequest.number}</OutsideLink>
  )
