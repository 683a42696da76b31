import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { Act } from './act.tsx'

export interface DialogProps {
  readonly title: string
  /** `sheet`: at the right edge, full height, for forms with a preview. `palette`: without a heading, near the top. */
  readonly form?: 'question' | 'sheet' | 'palette'
  readonly onClose: () => void
  /** Ctrl-Enter, or ⌘-Enter. */
  readonly onSend?: () => void
  readonly children: ComponentChildren
}

export const isSendKey = ({ key, ctrlKey, metaKey }: KeyboardEvent): boolean =>
  key === 'Enter' && (ctrlKey || metaKey)

function focusAgain(opener: Element | null) {
  const isThere = opener instanceof HTMLElement && opener.isConnected && opener !== document.body
  const target = isThere ? opener : document.querySelector<HTMLElement>('h1')
  target?.focus({ preventScroll: !isThere })
}

/**
 * A modal dialog that is open as long as it is rendered. Its title takes the focus; the browser keeps the focus inside and closes the
 * dialog with Escape. Afterwards the opener has the focus again, or the heading of the page when nothing opened it or the opener is gone.
 */
export function Dialog({ title, form = 'question', onClose, onSend, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  // At once, not after the next frame: until then, keys and clicks would reach the page below.
  useLayoutEffect(() => {
    const dialog = element.current
    const opener = document.activeElement
    dialog?.showModal()
    heading.current?.focus()
    return () => {
      dialog?.close()
      focusAgain(opener)
    }
  }, [])
  return (
    <dialog
      ref={element}
      class={form}
      closedby={form === 'palette' ? 'any' : 'closerequest'}
      aria-label={title}
      onKeyDown={(event) => isSendKey(event) && onSend?.()}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClose={() => {
        // A second Escape in a row closes without asking. It counts as a wish to close, like the first one.
        if (element.current === null) return
        element.current.showModal()
        onClose()
      }}
    >
      {form !== 'palette' && (
        <header>
          <h2 ref={heading} tabIndex={-1}>
            {title}
          </h2>
          <Act icon="close" look="quiet" name="Close" onClick={onClose} />
        </header>
      )}
      {children}
    </dialog>
  )
}
