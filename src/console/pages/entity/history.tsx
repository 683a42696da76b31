import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { query, setQuery } from '../../router.ts'
import { Act, More, NextPage } from '../../ui/act.tsx'
import { Card, Row } from '../../ui/card.tsx'
import { Copy } from '../../ui/copy.tsx'
import { OutsideLink } from '../../ui/link.tsx'
import { AnswerState } from '../../ui/parts.tsx'
import { exactWords } from '../../ui/time-words.ts'
import { Time } from '../../ui/time.tsx'
import { holdInView } from '../../ui/when-near.tsx'
import { doneWords, type HistoryRow, imageWords, kindWord, shortCommit } from './history-words.ts'
import { type Environment, referenceOf, titleOf, versionOf } from './stage.ts'
import { DAYS, timelineOf } from './timeline-bars.ts'
import { type PromotionProps, useHistory } from './use-entity.ts'

type Name = Environment['name']

/** Images that ran in an environment. The address says which environment is shown. */
export function History({ promotion, params }: PromotionProps) {
  const { environments } = promotion
  const reached = environments.filter(({ overlay }) => overlay).map(({ name }) => name)
  const asked = query.value.get('history')
  useEffect(() => {
    const card = document.querySelector('#history')?.closest('section') ?? null
    // An address that names the environment is about this card, which may be far down.
    return asked === null || card === null ? undefined : holdInView(card)
  }, [])
  const shown = reached.find((name) => name === asked) ?? reached.at(-1)
  if (shown === undefined) return null
  const rollback = promotion.acts.find((act) => act.do === 'rollback' && act.environment === shown)
  return (
    <Card
      id="history"
      title="History"
      end={reached.length > 1 && <Choice names={reached} shown={shown} />}
    >
      <dl class="timeline">
        {reached.map((name) => (
          <Line key={name} name={name} params={params} />
        ))}
      </dl>
      <HistoryPage
        key={shown}
        environment={shown}
        params={params}
        canRollBack={rollback?.allowed === true}
      />
    </Card>
  )
}

const Choice = ({ names, shown }: { readonly names: readonly Name[]; readonly shown: Name }) => (
  <div class="history-choice" role="group" aria-label="Environment of the history">
    {names.map((name) => (
      <Act
        key={name}
        look="quiet"
        isPressed={name === shown}
        onClick={() => setQuery({ history: name }, { replace: true })}
      >
        {titleOf(name)}
      </Act>
    ))}
  </div>
)

/** Rows of a page that are shown at first; the whole page is that of the timeline. */
const ROWS = 8

interface HistoryPageProps {
  readonly environment: Name
  readonly params: PromotionProps['params']
  /** Otherwise the stage says why not. */
  readonly canRollBack: boolean
  /** Commit of the last row of the page before. */
  readonly before?: string | undefined
}

/** A page of rows, and after it the next page, once somebody asks for it. */
function HistoryPage(props: HistoryPageProps) {
  const { environment, params, canRollBack, before } = props
  const hasAll = useSignal(before !== undefined)
  const answer = useHistory(params, environment, before)
  const { value, headers } = answer
  const rows = hasAll.value ? value : value?.slice(0, ROWS)
  const isCut = rows?.length !== value?.length
  return (
    <>
      <AnswerState answer={answer}>Reading git…</AnswerState>
      <ol class="rows">
        {rows?.map((row, index) => (
          <Version
            key={row.commit}
            row={row}
            isCurrent={before === undefined && index === 0}
            canRollBack={canRollBack}
          />
        ))}
      </ol>
      {isCut ? (
        <More onClick={() => (hasAll.value = true)} />
      ) : (
        <NextPage headers={headers}>
          {(following) => <HistoryPage {...props} before={following} />}
        </NextPage>
      )}
    </>
  )
}

interface VersionProps {
  readonly row: HistoryRow
  readonly isCurrent: boolean
  readonly canRollBack: boolean
}

function Version({ row, isCurrent, canRollBack }: VersionProps) {
  const { at, commit, commitUrl, pullRequest, environment, image } = row
  const { tone, icon } = kindWord(row)
  return (
    <Row
      icon={icon}
      tone={tone}
      title={
        <>
          <strong class="mono">{imageWords(row)}</strong>{' '}
          {image !== null && (
            <Copy text={referenceOf(image)} name={`the image ${versionOf(image)}`} />
          )}
          {isCurrent && <span class="tag">in git now</span>}
        </>
      }
      facts={
        <>
          <span>
            <bdi>{doneWords(row)}</bdi>
          </span>
          {pullRequest !== null && (
            <OutsideLink url={pullRequest.url}>#{pullRequest.number}</OutsideLink>
          )}
          <span>
            <OutsideLink url={commitUrl}>
              <code>{shortCommit(commit)}</code>
            </OutsideLink>
            <Copy text={commit} name={`the commit ${shortCommit(commit)}`} />
          </span>
        </>
      }
      end={
        <>
          {at !== null && <Time at={at} />}
          {canRollBack && !isCurrent && image !== null && (
            <Act icon="undo" onClick={() => setQuery({ do: 'rollback', environment, to: commit })}>
              Roll back to this<span class="sr"> {versionOf(image)}</span>
            </Act>
          )}
        </>
      }
    />
  )
}

/** The last half a year of an environment. */
function Line({ name, params }: Pick<PromotionProps, 'params'> & { readonly name: Name }) {
  const { value, at } = useHistory(params, name)
  const bars = value === undefined ? [] : timelineOf(value, at)
  return (
    <>
      <dt title={name}>{name}</dt>
      <dd title={`The last ${DAYS} days`}>
        {bars.map(({ version, fromMs, share }) => (
          <span
            key={fromMs}
            class={version === null ? undefined : 'bar'}
            style={{ flexGrow: String(share) }}
            title={version === null ? undefined : `${version} since ${exactWords(fromMs)}`}
          >
            {version}
          </span>
        ))}
      </dd>
    </>
  )
}
