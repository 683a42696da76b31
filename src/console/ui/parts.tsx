import type { ComponentChildren } from 'preact'
import type { Problem } from '../api/result.ts'
import { Icon } from './icon.tsx'
import { type Word, wordOf } from './words.ts'

type Children = { readonly children?: ComponentChildren }

export interface StateProps {
  /** A state of the API, or a word for one that depends on more. */
  readonly of: string | Word
  readonly look?: 'status' | 'chip'
}

/** A state in a table: a filled chip in each of a hundred rows shouts. */
export function Status({ of, look = 'status' }: StateProps) {
  const { tone, icon, label } = typeof of === 'string' ? wordOf(of) : of
  return (
    <span class={look} data-tone={tone}>
      <Icon name={icon} />
      {label}
    </span>
  )
}

/** A list without items, or a panel that waits: a sentence, and a way on. */
export const Empty = ({ title, children }: Children & { readonly title: string }) => (
  <div class="empty">
    <h2>{title}</h2>
    {children}
  </div>
)

export const Loading = ({ children }: Children) => <p class="loading">{children}</p>

export interface ProblemNoteProps {
  readonly problem: Problem
  readonly retry?: (() => unknown) | undefined
  /** The data below is that of an earlier answer. */
  readonly isStale?: boolean
}

/** A failure says its reason, the request's id to quote, and one way on. */
export const ProblemNote = ({ problem, retry, isStale }: ProblemNoteProps) => (
  <div class="problem" data-tone={problem.status === 403 ? 'warn' : 'bad'} role="alert">
    <Icon name="warn" />
    <p>
      <strong>{problem.title}.</strong> {problem.detail}
      {problem.required !== undefined && ` It needs one of: ${problem.required.join(', ')}.`}
      {isStale === true && ' What is shown is from before.'}
    </p>
    {problem.requestId !== undefined && (
      <small>
        Request <code>{problem.requestId}</code>
      </small>
    )}
    {retry !== undefined && (
      <button type="button" class="button" onClick={() => void retry()}>
        Try again
      </button>
    )}
  </div>
)

interface AnswerStateProps {
  readonly answer: {
    readonly value: unknown
    readonly problem: Problem | undefined
    /** A watched list asks again by itself. */
    readonly reload?: () => unknown
  }
  /** Said while nothing is there yet, by default that it is loading. */
  readonly children?: ComponentChildren
}

/** A panel that waits for its answer says so, and why it has none or an old one. */
export function AnswerState({ answer: { value, problem, reload }, children }: AnswerStateProps) {
  if (problem !== undefined) {
    return <ProblemNote problem={problem} retry={reload} isStale={value !== undefined} />
  }
  return value === undefined ? <Loading>{children ?? 'Loading…'}</Loading> : null
}
