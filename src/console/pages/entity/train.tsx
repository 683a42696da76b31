import { useSignal } from '@preact/signals'
import { isAnswered, type Resource, useResource } from '../../api/resource.ts'
import { pathOf } from '../../paths.ts'
import { setQuery } from '../../router.ts'
import { Act, More } from '../../ui/act.tsx'
import type { ApplicationHealth } from '../../ui/health.ts'
import { Icon } from '../../ui/icon.tsx'
import { OutsideLink } from '../../ui/link.tsx'
import { Card } from '../../ui/card.tsx'
import { AnswerState } from '../../ui/parts.tsx'
import { Age } from '../../ui/time.tsx'
import { counted } from '../../ui/words.ts'
import { undoable } from '../home/causes.ts'
import { ActButton } from './act-button.tsx'
import { placeActs } from './acts/acts-of.ts'
import { PREVIOUS } from './acts/rollback-rows.ts'
import { sourceOf } from './acts/source.ts'
import { shortCommit } from './history-words.ts'
import { PullRequest } from './pull-request.tsx'
import {
  driftOf,
  type Environment,
  nextWords,
  noteOf,
  type Promotion,
  refusalOf,
  versionOf,
} from './stage.ts'
import { type Cell, trainOf, type TrainRow, type Version, versionAlone } from './train-rows.ts'

interface TrainProps {
  readonly answer: Resource<Promotion>
  readonly versions: Resource<readonly Version[]>
  readonly params: { readonly kind: string; readonly name: string }
}

/** Versions against environments, with the acts that move them. */
export function Train({ answer, versions, params }: TrainProps) {
  const { value, problem } = answer
  const hasVersions = isAnswered(versions)
  return (
    <Card
      id="environments"
      title="Versions"
      end={
        value !== undefined && (
          <span class="muted">
            In git at{' '}
            <OutsideLink url={value.revisionUrl}>
              <code>{shortCommit(value.revision)}</code>
            </OutsideLink>
          </span>
        )
      }
    >
      <AnswerState answer={answer}>Reading the gitops repository…</AnswerState>
      {value !== undefined && <AnswerState answer={versions}>Reading the versions…</AnswerState>}
      {problem?.code === 'entity_ambiguous' && (
        <p class="train-bar">
          <span>
            One file has to go first. See <a href={pathOf('problems', {})}>problems</a>.
          </span>
        </p>
      )}
      {value !== undefined && hasVersions && value.environments.length > 0 && (
        <Table promotion={value} versions={versions.value} params={params} />
      )}
      {value !== undefined && hasVersions && <Below promotion={value} />}
    </Card>
  )
}

interface TableProps {
  readonly promotion: Promotion
  readonly versions: readonly Version[] | undefined
  readonly params: TrainProps['params']
}

function Table({ promotion, versions, params: { kind, name } }: TableProps) {
  const isWhole = useSignal(false)
  const health = useResource('/api/v1/health', { query: { entity: [`${kind}/${name}`] } })
  const { rows, shown } = trainOf(promotion, versions ?? runningOnly(promotion))
  const { environments } = promotion
  const placed = placeActs(promotion)
  return (
    <>
      {/* Keys scroll it, also for those who may do nothing in it (WCAG 2.1.1). */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div class="train" role="region" aria-label="Versions by environment" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">Version</th>
              {environments.map((environment) => (
                <Column key={environment.name} promotion={promotion} environment={environment} />
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, isWhole.value ? undefined : shown).map((row) => (
              <Row
                key={row.version.tag}
                row={row}
                environments={environments}
                health={health.value}
              />
            ))}
            <Untagged environments={environments} health={health.value} />
          </tbody>
          <tfoot hidden={environments.every(({ name: each }) => placed.inStage(each).length === 0)}>
            <tr>
              <th scope="row">Change</th>
              {environments.map(({ name: environment }) => (
                <td key={environment}>
                  {placed.inStage(environment).map((act) => (
                    <ActButton key={act.do} act={act} isShort />
                  ))}
                </td>
              ))}
            </tr>
          </tfoot>
        </table>
      </div>
      {undoable(health.value ?? [], promotion).map((environment) => (
        <p key={environment.name} class="train-bar" data-tone="bad">
          <Icon name="warn" />
          <span>
            {environment.name} broke with{' '}
            {environment.image === null ? 'its release' : versionOf(environment.image)}.
          </span>
          <Act
            onClick={() =>
              setQuery({ do: 'rollback', environment: environment.name, to: PREVIOUS })
            }
          >
            Undo release
          </Act>
        </p>
      ))}
      {rows.length > shown && !isWhole.value && (
        <More onClick={() => (isWhole.value = true)}>
          Show {counted(rows.length - shown, 'older version')}
        </More>
      )}
    </>
  )
}

/** The versions that run, for a page whose list of versions cannot be read. */
const runningOnly = ({ environments }: Promotion): readonly Version[] =>
  [...new Set(environments.flatMap(({ image }) => image?.tag ?? []))].map(versionAlone)

interface ColumnProps {
  readonly promotion: Promotion
  readonly environment: Environment
}

function Column({ promotion, environment }: ColumnProps) {
  const { name, config } = environment
  const note = noteOf(promotion, environment)
  const host = config.ingress?.host
  return (
    <th scope="col">
      <span class="train-name" title={name}>
        {name}
      </span>
      {host !== undefined && (
        <OutsideLink url={`https://${host}`} class="train-host" title={host}>
          {host}
        </OutsideLink>
      )}
      {note !== null && <small>{note}</small>}
    </th>
  )
}

interface RowProps {
  readonly row: TrainRow
  readonly environments: readonly Environment[]
  readonly health: readonly ApplicationHealth[] | undefined
}

const Row = ({ row: { version, isNew, cells }, environments, health }: RowProps) => (
  <tr>
    <th scope="row">
      <code title={version.tag}>{version.tag}</code> {isNew && <span class="tag">new</span>}{' '}
      <small>
        {version.at !== null && <Age at={version.at} />}{' '}
        {version.url !== null && (
          <OutsideLink url={version.url} title={version.subject ?? undefined}>
            <bdi>{version.subject}</bdi>
          </OutsideLink>
        )}
      </small>
    </th>
    {environments.map((environment, index) => (
      <td key={environment.name}>
        <InCell
          cell={cells[index] ?? { kind: 'none' }}
          tag={version.tag}
          environment={environment}
          health={health}
        />
      </td>
    ))}
  </tr>
)

/** The row of images without a tag. */
function Untagged({ environments, health }: Omit<RowProps, 'row'>) {
  const isUntagged = ({ overlay, image }: Environment) => overlay && (image?.tag ?? null) === null
  if (!environments.some(isUntagged)) return null
  return (
    <tr>
      <th scope="row">No tag</th>
      {environments.map((environment) => (
        <td key={environment.name}>
          {isUntagged(environment) && (
            <>
              <Here environment={environment} health={health} />
              {environment.image !== null && <small>{versionOf(environment.image)}</small>}
            </>
          )}
        </td>
      ))}
    </tr>
  )
}

interface InCellProps {
  readonly cell: Cell
  readonly tag: string
  readonly environment: Environment
  readonly health: RowProps['health']
}

function InCell({ cell, tag, environment, health }: InCellProps) {
  switch (cell.kind) {
    case 'none':
      return null
    case 'here':
      return <Here environment={environment} health={health} />
    case 'review':
      return (
        <span class="train-cell" data-tone="accent">
          <Icon name="branch" /> #{cell.pullRequest} in review
        </span>
      )
    case 'act': {
      const { act, isBack, isNext } = cell
      return (
        <button
          type="button"
          class={isNext ? 'button' : 'button quiet train-other'}
          onClick={() =>
            setQuery({ do: act.do, environment: environment.name, version: tag, to: undefined })
          }
        >
          <span aria-hidden="true">{isBack ? '↩' : '→'}</span>
          <span class="sr">{`${isBack ? 'Back' : 'Bring'} ${tag} to`}</span>{' '}
          <span class="train-name">{environment.name}</span>
        </button>
      )
    }
  }
}

interface HereProps {
  readonly environment: Environment
  readonly health: RowProps['health']
}

/** How the version fares where it runs. Git alone is grey. */
function Here({ environment: { name, deployedAt }, health }: HereProps) {
  const source = sourceOf(name, health)
  return (
    <span
      class="train-cell"
      data-tone={source?.word.tone ?? 'idle'}
      title={source?.cause ?? undefined}
    >
      <Icon name={source?.word.icon ?? 'circle'} />
      {source?.word.label ?? 'In git'}
      {deployedAt !== null && (
        <>
          {' · '}
          <Age at={deployedAt} />
        </>
      )}
    </span>
  )
}

/** Differences between git and the clusters, open pull requests, and the next step. */
function Below({ promotion }: { readonly promotion: Promotion }) {
  const refusal = refusalOf(promotion)
  const last = placeActs(promotion).next.at(-1)
  const reason = last?.allowed === false ? last.message : undefined
  return (
    <>
      {driftOf(promotion).map(({ code, environment, message }) => (
        <p key={`${code} ${environment}`} class="train-bar" data-tone="warn">
          <Icon name="warn" />
          <span>Drift: {message}.</span>
        </p>
      ))}
      {promotion.pullRequests.map((pull) => (
        <PullRequest key={pull.number} of={pull} promotion={promotion} />
      ))}
      <p class="train-bar muted">
        {refusal ?? nextWords(promotion)}
        {refusal === null &&
          reason !== undefined &&
          reason !== promotion.confirm.reason &&
          ` ${reason}`}
      </p>
    </>
  )
}
