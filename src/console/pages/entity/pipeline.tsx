import type { Resource } from '../../api/resource.ts'
import { session } from '../../api/session.ts'
import { Icon } from '../../ui/icon.tsx'
import { Card, Loading, ProblemNote } from '../../ui/parts.tsx'
import { ActButton } from './act-button.tsx'
import { actsOf } from './acts/acts-of.ts'
import { placeActs, reasonsOf } from './placed-acts.ts'
import { nextWords, type Promotion, refusalOf, stagesOf } from './stage.ts'
import { StageCard } from './stage-card.tsx'

/** The environments, from the first to the last. */
export function Pipeline({ answer }: { readonly answer: Resource<Promotion> }) {
  const { value, problem, reload } = answer
  return (
    <Card id="environments" title="Environments">
      {problem !== undefined && (
        <ProblemNote problem={problem} retry={reload} isStale={value !== undefined} />
      )}
      {value === undefined && problem === undefined && (
        <Loading>Reading the gitops repository…</Loading>
      )}
      {value !== undefined && <Stages promotion={value} />}
    </Card>
  )
}

function Stages({ promotion }: { readonly promotion: Promotion }) {
  const refusal = refusalOf(promotion)
  const { app, drift } = promotion
  const acts = placeActs(actsOf(promotion, session.value))
  const [reason] = reasonsOf(acts.next.slice(-1))
  return (
    <>
      {promotion.environments.length > 0 && (
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
      {drift.map(({ code, environment, message }) => (
        <p key={`${code} ${environment}`} class="pipe-bar pipe-drift" data-tone="warn">
          <Icon name="warn" />
          <span>Drift: {message}.</span>
        </p>
      ))}
      <div class="pipe-bar">
        <p>
          {refusal ?? nextWords(promotion)}
          {refusal === null && reason !== undefined && ` ${reason}`}
        </p>
        {acts.next.length > 0 && (
          <div class="pipe-acts">
            {acts.next.map((act, index) => (
              <ActButton key={act.do} act={act} isPrimary={index === acts.next.length - 1} />
            ))}
          </div>
        )}
      </div>
    </>
  )
}
