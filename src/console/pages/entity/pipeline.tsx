import type { Resource } from '../../api/resource.ts'
import { pathOf } from '../../paths.ts'
import { AnswerState } from '../../ui/answer-state.tsx'
import { Icon } from '../../ui/icon.tsx'
import { OutsideLink } from '../../ui/outside-link.tsx'
import { Card } from '../../ui/parts.tsx'
import { ActButton } from './act-button.tsx'
import { placeActs, reasonsOf } from './acts/acts-of.ts'
import { shortCommit } from './history-words.ts'
import { driftOf, nextWords, type Promotion, refusalOf, stagesOf } from './stage.ts'
import { PullRequest, StageCard } from './stage-card.tsx'

/** The environments, from the first to the last. */
export function Pipeline({ answer }: { readonly answer: Resource<Promotion> }) {
  const { value, problem } = answer
  return (
    <Card
      id="environments"
      title="Environments"
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
      {problem?.code === 'entity_ambiguous' && (
        <p class="pipe-bar">
          <span>
            One file has to go before it can be promoted. The{' '}
            <a href={pathOf('problems', {})}>problems</a> name them.
          </span>
        </p>
      )}
      {value !== undefined && <Stages promotion={value} />}
    </Card>
  )
}

function Stages({ promotion }: { readonly promotion: Promotion }) {
  const { app, environments, pullRequests } = promotion
  const acts = placeActs(promotion)
  return (
    <>
      {environments.length > 0 && (
        <ol class="pipe">
          {stagesOf(promotion).map((stage) => (
            <StageCard
              key={stage.environment.name}
              stage={stage}
              app={app ?? ''}
              acts={acts.inStage(stage.environment.name)}
            />
          ))}
        </ol>
      )}
      {driftOf(promotion).map(({ code, environment, message }) => (
        <p key={`${code} ${environment}`} class="pipe-bar pipe-drift" data-tone="warn">
          <Icon name="warn" />
          <span>Drift: {message}.</span>
        </p>
      ))}
      {pullRequests
        .filter(({ number }) => environments.every(({ pullRequest }) => pullRequest !== number))
        .map((pull) => (
          <div key={pull.number} class="pipe-bar">
            To {pull.targetLifecycle}:
            <PullRequest of={pull} />
          </div>
        ))}
      <Next promotion={promotion} acts={acts.next} />
    </>
  )
}

interface NextProps {
  readonly promotion: Promotion
  readonly acts: ReturnType<typeof placeActs>['next']
}

/** The next step, with its acts. The reason of the main one is said in full, unless the words have it: a pull request is pending. */
function Next({ promotion, acts }: NextProps) {
  const refusal = refusalOf(promotion)
  const [reason] = reasonsOf(acts.slice(-1))
  return (
    <div class="pipe-bar">
      <p>
        {refusal ?? nextWords(promotion)}
        {refusal === null &&
          reason !== undefined &&
          reason !== promotion.confirm.reason &&
          ` ${reason}`}
      </p>
      {acts.length > 0 && (
        <div class="pipe-acts">
          {acts.map((act, index) => (
            <ActButton key={act.do} act={act} isPrimary={index === acts.length - 1} />
          ))}
        </div>
      )}
    </div>
  )
}
