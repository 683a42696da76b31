import { Icon } from '../../ui/icon.tsx'
import { OutsideLink } from '../../ui/link.tsx'
import { isStuck, pullWords } from '../../ui/pull-words.ts'
import { Time } from '../../ui/time.tsx'
import { changesOf, type Promotion, type PullRequest as OpenPullRequest } from './stage.ts'

interface PullRequestProps {
  readonly of: OpenPullRequest
  readonly promotion: Promotion
}

/** An open pull request: what it waits for, and what its merge would change. */
export function PullRequest({ of, promotion }: PullRequestProps) {
  const { number, url, createdBy, createdAt, targetLifecycle } = of
  const environment = promotion.environments.find(({ pullRequest }) => pullRequest === number)
  const proposed = environment?.proposed ?? null
  return (
    <div class="train-bar" data-tone={isStuck(of) ? 'bad' : 'warn'}>
      <Icon name="branch" />
      <div>
        <p>
          <OutsideLink url={url}>Pull request #{number}</OutsideLink> to{' '}
          {environment?.name ?? targetLifecycle} by <bdi>{createdBy.name}</bdi>,{' '}
          <Time at={createdAt} />
          {pullWords(of).map((words) => `, ${words}`)}
        </p>
        {environment !== undefined && proposed !== null && (
          <ul class="train-changes" aria-label={`Changes of #${number}`}>
            {changesOf(environment, proposed).map(({ label, before, after }) => (
              <li key={label}>
                {label}{' '}
                {before !== null && (
                  <>
                    <del>{before}</del>{' '}
                  </>
                )}
                {after === null ? 'not set any more' : <ins>{after}</ins>}
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
  )
}
