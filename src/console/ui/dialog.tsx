import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Icon } from './icon.tsx'

export interface DialogProps {
  readonly title: string
  /** `sheet`: at the right edge, full height, for forms with a preview. */
  readonly form?: 'question' | 'sheet'
  readonly onClose: () => void
  readonly children: ComponentChildren
}

/**
 * A modal dialog that is open as long as it is rendered. The browser keeps the focus inside, closes it with Escape, and
 * gives the focus back to the opener.
 */
export function Dialog({ title, form = 'question', onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const dialog = element.current
    const opener = document.activeElement
    dialog?.showModal()
    return () => {
      dialog?.close()
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus()
    }
  }, [])
  return (
    <dialog
      ref={element}
      class={form}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
    >
      <header>
        <h2>{title}</h2>
        <button type="button" class="button quiet icon" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      {children}
    </dialog>
  )
}
