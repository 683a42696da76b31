import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { pathOf } from '../../paths.ts'
import { Act } from '../../ui/act.tsx'
import { announce } from '../../ui/announce.ts'
import { Card, Count, Row } from '../../ui/card.tsx'
import { EntityLink, OutsideLink } from '../../ui/link.tsx'
import { AnswerState } from '../../ui/parts.tsx'
import { pullWords } from '../../ui/pull-words.ts'
import { Question } from '../../ui/question.tsx'
import { Time } from '../../ui/time.tsx'
import { visible } from '../../ui/visible.ts'
import { counted } from '../../ui/words.ts'
import { confirm } from '../entity/acts/move.ts'
import type { Run } from '../new/steps.ts'
import {
  confirmedWords,
  confirmReason,
  type InboxItem,
  type Move,
  moveWords,
  nameOf,
  placeOf,
} from './inbox.ts'
import type { useInbox } from './use-inbox.ts'

/** The tasks of the person, and below them those of others. Empty when nothing waits. */
export function Waiting({ answer }: { readonly answer: ReturnType<typeof useInbox> }) {
  const { inbox, moves, total } = answer
  const asked = useSignal<Move | undefined>(undefined)
  const onConfirm = (move: Move) => (asked.value = move)
  const { yours = [], others = [] } = inbox ?? {}
  const left = total - (moves.value?.length ?? 0)
  return (
    <>
      {(inbox === undefined || yours.length > 0) && (
        <Card id="waiting" title="Waits for you" end={<Count of={yours.length} tone="accent" />}>
          <AnswerState answer={moves} />
          <ul class="rows">
            {yours.map((item) => (
              <Item key={keyOf(item)} item={item} onConfirm={onConfirm} />
            ))}
          </ul>
        </Card>
      )}
      {others.length > 0 && (
        <Card id="others" title="Waits for others" end={<Count of={others.length} tone="idle" />}>
          <ul class="rows">
            {others.map((move) => (
              <MoveRow key={keyOfMove(move)} move={move}>
                {move.waitsFor === 'confirm' && move.entity !== null && (
                  <Act icon="check" reason={confirmReason(move)} onClick={() => onConfirm(move)}>
                    Confirm
                    <span class="sr"> {nameOf(move)}</span>
                  </Act>
                )}
                <PullLink move={move} />
              </MoveRow>
            ))}
          </ul>
          {left > 0 && <p class="foot">{counted(left, 'older move')} not shown</p>}
        </Card>
      )}
      {asked.value !== undefined && (
        <Confirm move={asked.value} onClose={() => (asked.value = undefined)} />
      )}
    </>
  )
}

const keyOfMove = ({ team, app, kind, environment, pullRequest }: Move): string =>
  [team, app, kind, environment, pullRequest?.number].join()

const keyOf = (item: InboxItem): string =>
  item.kind === 'run' ? item.run.id : keyOfMove(item.move)

interface ItemProps {
  readonly item: InboxItem
  readonly onConfirm: (move: Move) => void
}

function Item({ item, onConfirm }: ItemProps) {
  if (item.kind === 'run') return <RunRow run={item.run} />
  const { move } = item
  return (
    <MoveRow move={move}>
      <PullLink move={move} verb={item.kind === 'review' ? 'Review' : undefined} />
      {item.kind === 'confirm' && (
        <Act icon="check" look="primary" onClick={() => onConfirm(move)}>
          Confirm {placeOf(move)}
          <span class="sr"> of {nameOf(move)}</span>
        </Act>
      )}
    </MoveRow>
  )
}

const RunRow = ({ run: { id, appName, team, failure, createdAt } }: { readonly run: Run }) => (
  <Row
    icon="cross"
    tone="bad"
    title={
      <>
        <a class="home-name" href={pathOf('run', { id })}>
          <bdi>{appName}</bdi>
        </a>{' '}
        could not be set up
      </>
    }
    facts={
      <>
        <span>{visible(failure?.message ?? '')}</span>
        <span>for {team}</span>
        <Time at={createdAt} />
      </>
    }
    end={
      <a class="button" href={pathOf('run', { id })}>
        See why<span class="sr"> {appName} failed</span>
      </a>
    }
  />
)

interface MoveRowProps {
  readonly move: Move
  readonly children: ComponentChildren
}

function MoveRow({ move, children }: MoveRowProps) {
  const { entity, waitsFor, pullRequest, askedBy, since, team } = move
  const isToConfirm = waitsFor === 'confirm'
  const words = pullRequest === null ? [] : pullWords(pullRequest)
  return (
    <Row
      icon={isToConfirm ? 'clock' : 'branch'}
      title={
        <>
          {entity === null ? (
            <b class="home-name">{nameOf(move)}</b>
          ) : (
            <EntityLink class="home-name" to={entity} />
          )}
          : {moveWords(move)}
        </>
      }
      facts={
        <>
          <bdi>{team}</bdi>
          {askedBy !== null && <bdi>{visible(askedBy.name)}</bdi>}
          {since !== null && <Time at={since} />}
          {(isToConfirm ? [confirmReason(move) ?? 'Merged'] : words).map((each) => (
            <span key={each}>{each}</span>
          ))}
        </>
      }
      end={children}
    />
  )
}

interface PullLinkProps {
  readonly move: Move
  readonly verb?: 'Review' | undefined
}

function PullLink({ move: { pullRequest, waitsFor }, verb }: PullLinkProps) {
  if (pullRequest === null) return null
  const { number, url, title } = pullRequest
  return (
    <OutsideLink
      url={url}
      class={verb === undefined ? 'button' : 'button primary'}
      title={visible(title)}
    >
      {verb ?? (waitsFor === 'confirm' ? 'Merged' : 'Open')} #{number}
    </OutsideLink>
  )
}

/** Asks before it confirms: the confirmation is a commit. */
function Confirm({ move, onClose }: { readonly move: Move; readonly onClose: () => void }) {
  const { entity, environment, targetLifecycle } = move
  const name = nameOf(move)
  const place = placeOf(move)
  async function onAct() {
    if (entity === null) return undefined
    const answer = await confirm(entity, targetLifecycle)
    if (!answer.ok) return answer.problem
    announce(confirmedWords(name, answer.value))
    return undefined
  }
  return (
    <Question
      title={`Confirm ${name} in ${place}`}
      act={`Confirm ${place}`}
      onAct={onAct}
      onClose={onClose}
    >
      <p>
        It is merged, and in git for {environment}. Confirming sets the lifecycle of{' '}
        <bdi>{name}</bdi> to {targetLifecycle}.
      </p>
    </Question>
  )
}
