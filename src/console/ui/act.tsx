import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { nextBefore } from '../api/call.ts'
import { Icon } from './icon.tsx'
import type { IconName } from './icons.ts'

export interface ActProps {
  readonly icon?: IconName | undefined
  readonly look?: 'primary' | 'quiet' | 'danger' | undefined
  /** Accessible name of a button that shows an icon alone. */
  readonly name?: string
  /** For those who hover. */
  readonly title?: string
  /** Why it cannot be done, and whom to ask. The button stays, can be focused, and says so. */
  readonly reason?: string | null | undefined
  /** Something goes on that it began; a promise of its own counts by itself. */
  readonly isBusy?: boolean
  /** A choice that is made, or not. */
  readonly isPressed?: boolean
  /** A single key that does it too. */
  readonly shortcut?: string | undefined
  readonly onClick: () => unknown
  readonly children?: ComponentChildren
}

/** A button. A second click while the first is on its way does nothing. */
export function Act({ icon, look, name, reason, isBusy, isPressed, ...props }: ActProps) {
  const isWaiting = useSignal(false)
  const isRefused = typeof reason === 'string'
  const isOff = isRefused || isBusy === true || isWaiting.value
  const run = async () => {
    const end = props.onClick()
    if (!(end instanceof Promise)) return
    isWaiting.value = true
    await end.finally(() => {
      isWaiting.value = false
    })
  }
  const shape = [look === 'primary' && isRefused ? '' : look, name !== undefined && 'icon']
  return (
    <button
      type="button"
      class={['button', ...shape].filter(Boolean).join(' ')}
      aria-label={name}
      aria-disabled={isOff ? true : undefined}
      aria-pressed={isPressed}
      aria-keyshortcuts={props.shortcut}
      title={reason ?? props.title ?? name}
      onClick={() => {
        if (!isOff && !isWaiting.peek()) void run()
      }}
    >
      {icon !== undefined && <Icon name={icon} />}
      {props.children}
      {isRefused && <span class="sr">: {reason}</span>}
    </button>
  )
}

/** Below a list that goes on. */
export const More = ({
  onClick,
  children = 'Show more',
}: Pick<ActProps, 'onClick' | 'children'>) => (
  <p class="more">
    <Act onClick={onClick}>{children}</Act>
  </p>
)

interface NextPageProps {
  /** Headers of the answer with the page before. */
  readonly headers: Headers | undefined
  /** The page that follows it, by the `before` of its query. */
  readonly children: (before: string) => ComponentChildren
}

/** The page after one, once somebody asks for it. Nothing after the last one. */
export function NextPage({ headers, children }: NextPageProps) {
  const isShown = useSignal(false)
  const before = nextBefore(headers?.get('link'))
  if (before === undefined) return null
  return isShown.value ? <>{children(before)}</> : <More onClick={() => (isShown.value = true)} />
}
