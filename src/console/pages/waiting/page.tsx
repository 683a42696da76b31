import { useSignal } from '@preact/signals'
import { useResource } from '../../api/resource.ts'
import { session } from '../../api/session.ts'
import { entityPath, pathOf } from '../../paths.ts'
import { query } from '../../router.ts'
import { Icon } from '../../ui/icon.tsx'
import { safeLink } from '../../ui/links.ts'
import { PageHead } from '../../ui/page-head.tsx'
import { AnswerState } from '../../ui/answer-state.tsx'
import { Act, Card, Empty } from '../../ui/parts.tsx'
import { pullWords } from '../../ui/pull-words.ts'
import { Time } from '../../ui/time.tsx'
import { visible } from '../../ui/visible.ts'
import { counted } from '../../ui/words.ts'
import { Confirm } from './confirm.tsx'
import { confirmReason, groupMoves, type Move, moveWords, nameOf, placeOf } from './moves.ts'

const MOVES_MAX = 1_000

/** The platform team reviews for everybody; all others begin with what is theirs. */
const showsAll = (): boolean =>
  (query.value.get('of') ?? (session.value?.platform === true ? 'all' : 'mine')) === 'all'

export default function Waiting() {
  const isAll = showsAll()
  const asked = useSignal<Move | undefined>(undefined)
  const list = useResource(session.value === undefined ? null : '/api/v1/promotions', {
    query: { limit: MOVES_MAX, ...(!isAll && { mine: true }) },
    topic: 'promotions',
  })
  const total = Number(list.headers?.get('x-total-count') ?? 0)
  return (
    <>
      <PageHead title="Waiting for" />
      <nav class="tabs" aria-label="Whose">
        <a href={pathOf('waiting', {}, { of: 'mine' })} aria-current={isAll ? undefined : 'true'}>
          Your teams
        </a>
        <a href={pathOf('waiting', {}, { of: 'all' })} aria-current={isAll ? 'true' : undefined}>
          Everybody
        </a>
      </nav>
      <AnswerState answer={list}>Looking for what waits…</AnswerState>
      <Groups moves={list.value} isAll={isAll} onConfirm={(move) => (asked.value = move)} />
      {list.value !== undefined && total > list.value.length && (
        <p class="foot">
          The newest {list.value.length} of {counted(total, 'move')}
        </p>
      )}
      {asked.value !== undefined && (
        <Confirm move={asked.value} onClose={() => (asked.value = undefined)} />
      )}
    </>
  )
}

interface GroupsProps {
  readonly moves: readonly Move[] | undefined
  readonly isAll: boolean
  readonly onConfirm: (move: Move) => void
}

function Groups({ moves, isAll, onConfirm }: GroupsProps) {
  if (moves === undefined) return null
  if (moves.length === 0) {
    return (
      <Empty title={isAll ? 'Nothing waits' : 'Nothing waits for your teams'}>
        <p>
          Pull requests of promotions, releases and new projects wait here for a review, and what is
          merged for its confirmation.
        </p>
      </Empty>
    )
  }
  return (
    <div class="stack waiting">
      {groupMoves(moves).map(({ id, title, moves: inGroup }) => (
        <Card key={id} id={id} title={title} end={<span class="muted">{inGroup.length}</span>}>
          <ul class="rows">
            {inGroup.map((move) => (
              <Row key={keyOf(move)} move={move} onConfirm={onConfirm} />
            ))}
          </ul>
        </Card>
      ))}
    </div>
  )
}

const keyOf = ({ team, app, kind, environment, pullRequest }: Move): string =>
  [team, app, kind, environment, pullRequest?.number].join()

function Row({ move, onConfirm }: { readonly move: Move } & Pick<GroupsProps, 'onConfirm'>) {
  const { entity, waitsFor, pullRequest, askedBy, since, team } = move
  return (
    <li>
      <Icon name={waitsFor === 'confirm' ? 'clock' : 'branch'} />
      <div>
        <p>
          {entity === null ? (
            <bdi>{nameOf(move)}</bdi>
          ) : (
            <a href={entityPath(entity)}>
              <bdi>{nameOf(move)}</bdi>
            </a>
          )}{' '}
          · {moveWords(move)}
        </p>
        <small>
          <span>
            Team <bdi>{team}</bdi>
          </span>
          {askedBy !== null && (
            <span>
              asked for by <bdi>{visible(askedBy.name)}</bdi>
            </span>
          )}
          {since !== null && <Time at={since} />}
          {pullRequest !== null && <bdi>{visible(pullRequest.title)}</bdi>}
          {pullRequest !== null &&
            pullWords(pullRequest).map((words) => <span key={words}>{words}</span>)}
          {waitsFor === 'confirm' && <span>{confirmReason(move)}</span>}
        </small>
      </div>
      <div class="end">
        {pullRequest !== null && <PullLink pull={pullRequest} waitsFor={waitsFor} />}
        {waitsFor === 'confirm' && entity !== null && (
          <Act icon="check" reason={confirmReason(move)} onClick={() => onConfirm(move)}>
            Confirm {placeOf(move)}
            <span class="sr"> of {nameOf(move)}</span>
          </Act>
        )}
      </div>
    </li>
  )
}

interface PullLinkProps extends Pick<Move, 'waitsFor'> {
  readonly pull: NonNullable<Move['pullRequest']>
}

function PullLink({ pull, waitsFor }: PullLinkProps) {
  const link = safeLink(pull.url)
  const label = `#${pull.number}`
  if (link === null) return <span>{label}</span>
  return (
    <a class="button" href={link.href} rel="noopener noreferrer">
      <Icon name="link" />
      {waitsFor === 'review' ? 'Review' : 'Merged'} {label}
    </a>
  )
}
