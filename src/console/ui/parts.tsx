import type { ComponentChildren } from 'preact'
import type { Problem } from '../api/result.ts'
import { Icon } from './icon.tsx'
import type { IconName } from './icons.ts'
import { type Word, wordOf } from './words.ts'

type Children = { readonly children?: ComponentChildren }

interface StateProps {
  /** A state of the API, or a word for one that depends on more. */
  readonly of: string | Word
}

/** A state in the head of a page or a card. */
export function Chip({ of }: StateProps) {
  const { tone, icon, label } = typeof of === 'string' ? wordOf(of) : of
  return (
    <span class="chip" data-tone={tone}>
      <Icon name={icon} />
      {label}
    </span>
  )
}

/** A state in a table: a filled chip in each of a hundred rows shouts. */
export function Status({ of }: StateProps) {
  const { tone, icon, label } = typeof of === 'string' ? wordOf(of) : of
  return (
    <span class="status" data-tone={tone}>
      <Icon name={icon} />
      {label}
    </span>
  )
}

export interface CardProps extends Children {
  /** Id of the heading. */
  readonly id: string
  readonly title: string
  /** At the right end of the heading. */
  readonly end?: ComponentChildren
}

export const Card = ({ id, title, end, children }: CardProps) => (
  <section class="card" aria-labelledby={id}>
    <header>
      <h2 id={id}>{title}</h2>
      {end}
    </header>
    {children}
  </section>
)

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

export interface ActProps extends Children {
  readonly icon?: IconName | undefined
  readonly isPrimary?: boolean
  /** Why it cannot be done, and whom to ask. The button stays, can be focused, and says so. */
  readonly reason?: string | null | undefined
  readonly isBusy?: boolean
  /** A single key that does it too. */
  readonly shortcut?: string | undefined
  readonly onClick: () => unknown
}

export function Act({ icon, isPrimary, reason, isBusy, shortcut, onClick, children }: ActProps) {
  const isRefused = typeof reason === 'string'
  const isOff = isRefused || isBusy === true
  return (
    <button
      type="button"
      class={isPrimary === true && !isRefused ? 'button primary' : 'button'}
      aria-disabled={isOff ? true : undefined}
      aria-keyshortcuts={shortcut}
      title={reason ?? undefined}
      onClick={isOff ? undefined : () => void onClick()}
    >
      {icon !== undefined && <Icon name={icon} />}
      {children}
      {isRefused && <span class="sr">: {reason}</span>}
    </button>
  )
}
