import type { ComponentChildren } from 'preact'
import { Icon } from './icon.tsx'
import type { IconName } from './icons.ts'
import { type StateProps, Status } from './parts.tsx'
import type { Tone } from './words.ts'

/** A state in the head of a page or a card. */
export const Chip = ({ of }: StateProps) => <Status of={of} look="chip" />

interface CardProps {
  /** Id of the heading. */
  readonly id: string
  readonly title: string
  /** At the right end of the heading. */
  readonly end?: ComponentChildren
  readonly children?: ComponentChildren
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

interface RowProps {
  readonly icon: IconName
  readonly tone?: Tone | undefined
  /** The first line. */
  readonly title: ComponentChildren
  /** Facts in a line below the title. */
  readonly facts?: ComponentChildren
  /** At the right end, or below where there is no room. */
  readonly end?: ComponentChildren
  /** Small enough to stay at the right end. */
  readonly beside?: ComponentChildren
  readonly children?: ComponentChildren
}

/** A row of `.rows`. */
export const Row = ({ icon, tone, title, facts, end, beside, children }: RowProps) => (
  <li data-tone={tone}>
    <Icon name={icon} />
    <div>
      <p>{title}</p>
      {facts !== undefined && <small>{facts}</small>}
    </div>
    {end !== undefined && <div class="end">{end}</div>}
    {beside !== undefined && <div class="end beside">{beside}</div>}
    {children}
  </li>
)

interface FactProps {
  readonly label: string
  readonly children: ComponentChildren
}

/** A row of `.facts`. */
export const Fact = ({ label, children }: FactProps) => (
  <div>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
)

/** Beside a heading; nothing when there is nothing. */
export const Count = ({ of, tone }: { readonly of: number; readonly tone: Tone }) =>
  of === 0 ? null : (
    <span class="home-count" data-tone={tone}>
      {of.toLocaleString('en')}
    </span>
  )
