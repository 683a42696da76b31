import type { FieldSpec } from './field-spec.ts'
import { Icon } from './icon.tsx'

export interface FieldProps extends FieldSpec {
  /** A checkbox has `true` or `false`. */
  readonly value: string
  readonly onInput: (value: string) => void
  /** The focus left the control. */
  readonly onBlur?: () => void
  readonly errors?: readonly string[] | undefined
}

/** A control with its label, its help and what is wrong with its value. */
export function Field(props: FieldProps) {
  const { path, label, control = 'text', help, errors = [], isRequired } = props
  const isCheckbox = control === 'checkbox'
  return (
    <div class={isCheckbox ? 'input check' : 'input'}>
      {isCheckbox && <Control {...props} />}
      <label for={path}>
        {label}
        {isRequired === true && !isCheckbox && <span aria-hidden="true"> (required)</span>}
      </label>
      {!isCheckbox && <Control {...props} />}
      <p id={noteOf(path)} class={errors.length > 0 ? 'error' : undefined}>
        {errors.length > 0 && <Icon name="cross" />}
        {errors.length > 0 ? errors.join('; ') : help}
      </p>
    </div>
  )
}

const noteOf = (path: string) => `${path}-note`

function Control(props: FieldProps) {
  const { path, control = 'text', value, onInput, errors = [], isRequired, options = [] } = props
  const common = {
    id: path,
    name: path,
    required: isRequired,
    onBlur: props.onBlur,
    'aria-invalid': errors.length > 0 ? true : undefined,
    'aria-describedby': noteOf(path),
    autocomplete: control === 'password' ? 'new-password' : 'off',
  }
  if (control === 'checkbox') {
    return (
      <input
        {...common}
        type="checkbox"
        checked={value === 'true'}
        disabled={props.isDisabled}
        onInput={(event) => onInput(String(event.currentTarget.checked))}
      />
    )
  }
  const text = {
    ...common,
    value,
    onInput: (event: { readonly currentTarget: { readonly value: string } }) =>
      onInput(event.currentTarget.value),
  }
  if (control === 'select') {
    return (
      <select {...text}>
        {options.map(choiceOf).map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
      </select>
    )
  }
  const typed = {
    ...text,
    spellcheck: false,
    placeholder: props.placeholder,
    maxLength: props.maxLength,
  }
  if (props.suggestions !== undefined) {
    return (
      <>
        <input {...typed} list={`${path}-list`} />
        <datalist id={`${path}-list`}>
          {props.suggestions.map((suggestion) => (
            <option key={suggestion}>{suggestion}</option>
          ))}
        </datalist>
      </>
    )
  }
  if (control === 'date') return <input {...typed} type="date" />
  if (control === 'password') return <input {...typed} type="password" />
  // A number is typed as text: `type="number"` would answer an empty value for `1gb`, and nothing would say what is wrong.
  return <input {...typed} type="text" inputMode={control === 'number' ? 'decimal' : undefined} />
}

const choiceOf = (choice: string | { readonly value: string; readonly label: string }) =>
  typeof choice === 'string' ? { value: choice, label: choice === '' ? '–' : choice } : choice

/** Moves the focus to the first field of a form whose value is refused. Answers whether there is one. */
export function focusRefused(form: HTMLElement | null): boolean {
  const refused = form?.querySelector<HTMLElement>('[aria-invalid="true"]')
  const folded = refused?.closest('details')
  if (folded !== null && folded !== undefined) folded.open = true
  refused?.focus()
  return refused !== null && refused !== undefined
}
