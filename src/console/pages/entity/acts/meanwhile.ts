import type { Environment, PromotionState } from './acts-of.ts'

/** An environment as it is now, and what has happened to it since a form was opened. */
export interface Meanwhile {
  /** Changes when a preview has to be asked for again. */
  readonly version: string
  /** Null while all is as it was. */
  readonly words: string | null
  readonly hasPullRequest: boolean
}

export function meanwhileOf(opened: Environment, { environments }: PromotionState): Meanwhile {
  const now = environments.find(({ name }) => name === opened.name) ?? opened
  return {
    version: versionOf(now),
    words: versionOf(now) === versionOf(opened) ? null : wordsOf(opened, now),
    hasPullRequest: now.proposed !== null,
  }
}

const versionOf = ({ state, image, config, proposed }: Environment): string =>
  JSON.stringify([state, image, config, proposed])

function wordsOf({ name, proposed: before }: Environment, { proposed }: Environment): string {
  if (proposed !== null && proposed.pullRequest !== before?.pullRequest) {
    return `Pull request #${proposed.pullRequest} to ${name} was opened meanwhile. Submitting updates it.`
  }
  if (before !== null && proposed === null) {
    return `Pull request #${before.pullRequest} to ${name} was merged or closed meanwhile. Submitting opens another one.`
  }
  return before === null
    ? `${name} has changed. The preview is up to date.`
    : `Pull request #${before.pullRequest} has changed. The preview is up to date.`
}
