import { useSignal } from '@preact/signals'
import { type Resource, useResource } from '../../api/resource.ts'
import { entityPath, pathOf } from '../../paths.ts'
import { Act, More } from '../../ui/act.tsx'
import { EntityLink } from '../../ui/link.tsx'
import { type ApplicationHealth, isUnknown, shortMessage, verdictWords } from '../../ui/health.ts'
import { Icon } from '../../ui/icon.tsx'
import { Card, Count, Row } from '../../ui/card.tsx'
import { AnswerState } from '../../ui/parts.tsx'
import { Time } from '../../ui/time.tsx'
import { visible } from '../../ui/visible.ts'
import { counted, wordOf } from '../../ui/words.ts'
import { type EntityAct, labelOf, type PromotionState, refusalOf } from '../entity/acts/acts-of.ts'
import { changeBefore, mendingAct, searchFor } from './causes.ts'

/** Each of the first asks for its last change and its acts, which is a request for each. */
const EXPLAINED_MAX = 2
const SHOWN_MAX = 6

interface BrokenProps {
  readonly health: Resource<readonly ApplicationHealth[]>
  readonly broken: readonly ApplicationHealth[]
}

export function Broken({ health, broken }: BrokenProps) {
  const isWhole = useSignal(false)
  const shown = isWhole.value ? broken : broken.slice(0, SHOWN_MAX)
  const explained = [...new Set(broken.map(({ entity }) => entityPath(entity)))].slice(
    0,
    EXPLAINED_MAX,
  )
  const { value } = health
  return (
    <Card id="broken" title="Broken now" end={<Count of={broken.length} tone="bad" />}>
      <AnswerState answer={health} />
      {value !== undefined && broken.length === 0 && (
        <p class="none">Nothing that you can see is broken.</p>
      )}
      <ul class="rows home-broken">
        {shown.map((row) => (
          <BrokenRow
            key={`${entityPath(row.entity)} ${row.cluster}/${row.namespace}`}
            row={row}
            isExplained={explained.includes(entityPath(row.entity))}
          />
        ))}
      </ul>
      {broken.length > shown.length && (
        <More onClick={() => (isWhole.value = true)}>Show {broken.length - shown.length} more</More>
      )}
      <Unknown rows={value ?? []} />
    </Card>
  )
}

/** Applications without a verdict, with the reasons: silence would read as good health. */
function Unknown({ rows }: { readonly rows: readonly ApplicationHealth[] }) {
  const unknown = rows.filter(isUnknown)
  if (unknown.length === 0) return null
  const reasons = [
    ...new Set(unknown.map((row) => `${row.cluster}: ${verdictWords(row)?.toLowerCase()}`)),
  ]
  return (
    <p class="home-unknown">
      <Icon name="dash" />
      {counted(unknown.length, 'environment')} unknown ({reasons.join(', ')})
    </p>
  )
}

interface BrokenRowProps {
  readonly row: ApplicationHealth
  readonly isExplained: boolean
}

function BrokenRow({ row, isExplained }: BrokenRowProps) {
  const { entity, environment, cluster, namespace, health, message, since } = row
  const { tone, icon, label } = wordOf(health)
  const { value } = useResource(
    isExplained ? '/api/v1/catalog/entities/{kind}/{name}/promotion' : null,
    { params: { kind: entity.kind.toLowerCase(), name: entity.name } },
  )
  return (
    <Row
      icon={icon}
      tone={tone}
      title={
        <>
          <span class="sr">{label}: </span>
          <EntityLink class="home-name" to={entity} /> in {environment}:{' '}
          <span class="home-cause" title={visible(message)}>
            {visible(shortMessage(row))}
          </span>
        </>
      }
      facts={
        <>
          {since !== null && <Time at={since} />}
          {value !== undefined && <LastChange row={row} promotion={value} />}
        </>
      }
      end={
        <>
          <a
            class="button"
            href={pathOf('namespace', { cluster, namespace }, { q: searchFor(row) })}
          >
            Pods and logs
            <span class="sr"> of {entity.name}</span>
          </a>
          {value !== undefined && <Mend row={row} promotion={value} />}
          {!isExplained && <ActLink row={row} act="rollback" label="Roll back…" />}
        </>
      }
    />
  )
}

interface ExplainedProps {
  readonly row: ApplicationHealth
  readonly promotion: PromotionState
}

function LastChange({ row, promotion }: ExplainedProps) {
  const change = changeBefore(row, promotion)
  if (change === undefined) return null
  const { kind, version, at, by } = change
  return (
    <span>
      {kind === 'began' ? 'began with' : 'last change'}{' '}
      {version !== undefined && <code>{visible(version)}</code>}
      {by !== undefined && <bdi> by {visible(by)}</bdi>}, <Time at={at} />
    </span>
  )
}

function Mend({ row, promotion }: ExplainedProps) {
  const { entity, environment } = row
  const open = promotion.environments.find(({ name }) => name === environment)?.pullRequest
  if (typeof open === 'number') {
    return (
      <a class="button" href={entityPath(entity)}>
        #{open} is open
        <span class="sr"> for {entity.name}</span>
      </a>
    )
  }
  const act = mendingAct(row, promotion)
  if (act === undefined) return null
  const label = act.do === 'rollback' ? labelOf(act) : 'Another image…'
  const refusal = refusalOf(act)
  if (refusal !== null) {
    return (
      <Act reason={refusal} onClick={() => undefined}>
        {label}
      </Act>
    )
  }
  return <ActLink row={row} act={act.do} label={label} />
}

interface ActLinkProps extends Pick<BrokenRowProps, 'row'> {
  readonly act: EntityAct['do']
  readonly label: string
}

/** Opens the sheet of an act on the page of the entity, which says why one is refused. */
function ActLink({ row: { entity, environment }, act, label }: ActLinkProps) {
  const { kind, name } = entity
  const asked = pathOf('entity', { kind: kind.toLowerCase(), name }, { do: act, environment })
  return (
    <a class="button" href={asked}>
      {label}
      <span class="sr">
        {' '}
        {name} in {environment}
      </span>
    </a>
  )
}
