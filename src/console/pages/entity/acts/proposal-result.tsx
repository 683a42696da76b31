import { nextSteps, type Outcome, outcomeTitle } from './outcome-words.ts'
import { Warnings } from './preview-panel.tsx'
import { PullRequestLink, Result } from './results.tsx'

/** The outcome of an act, and the steps after it. */
export function ProposalResult({
  outcome,
  confirmers,
}: {
  readonly outcome: Outcome
  readonly confirmers: readonly string[] | null
}) {
  const { pullRequest, secrets, warnings } = outcome
  return (
    <div class="act-done">
      <Result title={outcomeTitle(outcome)}>
        {pullRequest !== null && (
          <p>
            <PullRequestLink pullRequest={pullRequest} />
          </p>
        )}
        {secrets !== null && (
          <p>
            {secrets.keys.join(', ')}: written to <code>{secrets.path}</code>, version{' '}
            {secrets.version}.
          </p>
        )}
        <Warnings warnings={warnings} />
        <h4>What comes next</h4>
        <ol>
          {nextSteps(outcome, confirmers).map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
      </Result>
    </div>
  )
}
