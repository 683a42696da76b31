import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { isLeft } from '../api/session-state.ts'
import { askBeforeLeaving } from '../router.ts'
import { Act, type ActProps } from './act.tsx'
import { isSendKey } from './dialog.tsx'
import type { FieldSpec, PlacedErrors } from './field-spec.ts'
import { Field, focusRefused } from './field.tsx'

/** The texts of a form's fields, by the JSON pointers of their values in the body of its request. */
export interface Form<Path extends string = string> {
  readonly texts: Readonly<Record<Path, string>>
  readonly isChanged: boolean
  readonly set: (path: string, text: string) => void
  /** Fields that were left; all of them after an attempt to send the form. */
  readonly left: ReadonlySet<string> | 'all'
  readonly leave: (path: string) => void
  /** The form could not be sent: its first refused field gets the focus, once it is drawn. */
  readonly refuse: () => void
  readonly attach: (element: HTMLFormElement | null) => void
}

/** `keep` hears each change. */
export function useForm<Path extends string>(
  initial: Readonly<Record<Path, string>>,
  keep?: (texts: Readonly<Record<Path, string>>) => void,
  begun = initial,
): Form<Path> {
  const texts = useSignal(begun)
  const left = useSignal<ReadonlySet<string> | 'all'>(new Set())
  const element = useRef<HTMLFormElement>(null)
  /** The first mistake may come with a later preview than that of the attempt. */
  const isSeeking = useRef(false)
  useEffect(() => {
    if (isSeeking.current && focusRefused(element.current)) isSeeking.current = false
  })
  const before: Readonly<Record<string, string>> = initial
  return {
    texts: texts.value,
    isChanged: Object.entries(texts.value).some(([path, text]) => text !== (before[path] ?? '')),
    set(path, text) {
      isSeeking.current = false
      texts.value = { ...texts.peek(), [path]: text }
      keep?.(texts.value)
    },
    left: left.value,
    leave(path) {
      const known = left.peek()
      if (known !== 'all') left.value = new Set([...known, path])
    },
    refuse() {
      isSeeking.current = true
      left.value = 'all'
    },
    attach(drawn) {
      element.current = drawn
    },
  }
}

interface FieldsProps {
  readonly of: readonly FieldSpec[]
  readonly form: Form
  /** Mistakes by the path of their field. */
  readonly errors: PlacedErrors['at']
}

/** Fields by their descriptions, each with what the server says about its value. */
export const Fields = ({ of, form, errors }: FieldsProps) => (
  <>
    {of.map((spec) => (
      <Field
        key={spec.path}
        {...spec}
        value={form.texts[spec.path] ?? spec.initial ?? ''}
        errors={errors.get(spec.path)}
        onInput={(text) => form.set(spec.path, text)}
        onBlur={() => form.leave(spec.path)}
      />
    ))}
  </>
)

interface FormBoxProps {
  readonly form: Form
  readonly label?: string
  readonly class?: string
  /** Without one the dialog of the form has it. */
  readonly onSend?: () => unknown
  readonly children: ComponentChildren
}

/** Enter in a field sends nothing, which takes the button or Ctrl-Enter. */
export const FormBox = ({ form, label, class: name, onSend, children }: FormBoxProps) => (
  // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- keys of its fields
  <form
    ref={(element) => form.attach(element)}
    class={name}
    aria-label={label}
    noValidate
    onSubmit={(event) => event.preventDefault()}
    onKeyDown={(event) => isSendKey(event) && void onSend?.()}
  >
    {children}
  </form>
)

interface FormFootProps extends Pick<ActProps, 'icon' | 'reason'> {
  readonly isBusy: boolean
  /** The reason why it cannot be sent yet, or the consequence of sending it. */
  readonly status: ComponentChildren
  readonly label: string
  readonly onSend: () => unknown
  readonly onCancel?: () => void
}

export const FormFoot = ({ isBusy, status, label, onSend, onCancel, ...act }: FormFootProps) => (
  <footer>
    <p role="status">{isBusy ? 'Sending…' : status}</p>
    {onCancel !== undefined && <Act onClick={onCancel}>Cancel</Act>}
    <Act {...act} look="primary" isBusy={isBusy} onClick={onSend}>
      {label}
    </Act>
  </footer>
)

/**
 * A page with a form that was filled in is not left without a question, unless it is somebody else's by now. The answered function lets
 * it go.
 */
export function useUnsaved(isUnsaved: boolean, onBack?: () => void): () => void {
  const release = useRef(() => {})
  useEffect(() => {
    if (!isUnsaved) return undefined
    if (onBack !== undefined) release.current = askBeforeLeaving(onBack)
    const ask = (event: BeforeUnloadEvent) => {
      if (!isLeft.peek()) event.preventDefault()
    }
    addEventListener('beforeunload', ask)
    return () => {
      release.current()
      removeEventListener('beforeunload', ask)
    }
  }, [isUnsaved])
  return () => release.current()
}
