import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { Icon } from '../../../ui/icon.tsx'
import { safeLink } from '../../../ui/links.ts'
import { Chip } from '../../../ui/parts.tsx'
import type { Confirmed } from './outcome-words.ts'

/** The end of an act takes the focus, so that the next words are those of the result. */
export function Result({
  title,
  children,
}: {
  readonly title: string
  readonly children: ComponentChildren
}) {
  const heading = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => heading.current?.focus(), [])
  return (
    <>
      <h3 ref={heading} tabIndex={-1} class="act-result">
        <Icon name="check" />
        {title}
      </h3>
      {children}
    </>
  )
}

interface PullRequest {
  readonly number: number
  readonly title: string
  readonly url: string
}

export function PullRequestLink({
  pullRequest: { number, title, url },
}: {
  readonly pullRequest: PullRequest
}) {
  const link = safeLink(url)
  const text = (
    <>
      #{number} <bdi>{title}</bdi>
    </>
  )
  return link === null ? (
    <span>{text}</span>
  ) : (
    <a href={link.href} rel="noopener noreferrer">
      {text}
    </a>
  )
}

export function ConfirmResult({ done, name }: { readonly done: Confirmed; readonly name: string }) {
  if (done.status === 'lifecycle_pr_open') {
    return (
      <Result title="One more pull request is needed">
        <p>
          The default branch is protected, so the lifecycle is changed by{' '}
          <PullRequestLink pullRequest={done.pullRequest} />. It is done once that is merged.
        </p>
      </Result>
    )
  }
  return (
    <Result title={done.status === 'confirmed' ? 'Confirmed' : 'It was confirmed before'}>
      <p class="act-step">
        The lifecycle of {name} is now <Chip of={done.lifecycle} />
      </p>
    </Result>
  )
}
