import type { FieldSpec, Option } from './field-spec.ts'
import { Icon } from './icon.tsx'

export interface FieldProps extends FieldSpec {
  /** A checkbox has `true` or `false`. */
  readonly value: string
  readonly onInput?: (value: string) => void
  /** The value is typed to its end: the focus left the control, or Enter was pressed. */
  readonly onChange?: (value: string) => void
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

interface Typed {
  readonly currentTarget: { readonly value: string }
}

const noteOf = (path: string) => `${path}-note`

function Control(props: FieldProps) {
  const {
    path,
    control = 'text',
    value,
    errors = [],
    isRequired,
    options = [],
    suggestions,
  } = props
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
        onInput={(event) => props.onInput?.(String(event.currentTarget.checked))}
      />
    )
  }
  const text = {
    ...common,
    value,
    onInput: ({ currentTarget }: Typed) => props.onInput?.(currentTarget.value),
    onChange: ({ currentTarget }: Typed) => props.onChange?.(currentTarget.value),
  }
  if (control === 'select') {
    return (
      <select {...text}>
        <Options of={options} />
      </select>
    )
  }
  const typed = {
    ...text,
    spellcheck: false,
    placeholder: props.placeholder,
    maxLength: props.maxLength,
  }
  if (control === 'date') return <input {...typed} type="date" />
  if (control === 'password') return <input {...typed} type="password" />
  const list = `${path}-list`
  return (
    <>
      {/* A number is typed as text: `type="number"` would answer an empty value for `1gb`, and nothing would say what is wrong. */}
      <input
        {...typed}
        inputMode={control === 'number' ? 'decimal' : undefined}
        list={suggestions && list}
      />
      {suggestions !== undefined && (
        <datalist id={list}>
          <Options of={suggestions} />
        </datalist>
      )}
    </>
  )
}

const Options = ({ of }: { readonly of: readonly Option[] }) => (
  <>
    {of
      .map((option) => (typeof option === 'string' ? { value: option, label: option } : option))
      .map(({ value, label, isDisabled }) => (
        <option key={value} value={value} disabled={isDisabled}>
          {label === '' ? '–' : label}
        </option>
      ))}
  </>
)

interface ChoiceProps {
  readonly label: string
  readonly value: string
  readonly options: readonly Option[]
  readonly class?: string
  readonly onChoose: (value: string) => void
}

/** One of several values, in a bar beside what it changes. */
export const Choice = ({ label, options, onChoose, ...select }: ChoiceProps) => (
  <select {...select} aria-label={label} onChange={(event) => onChoose(event.currentTarget.value)}>
    <Options of={options} />
  </select>
)

/** Moves the focus to the first field of a form whose value is refused. Answers whether there is one. */
export function focusRefused(form: HTMLElement | null): boolean {
  const refused = form?.querySelector<HTMLElement>('[aria-invalid="true"]')
  const folded = refused?.closest('details')
  if (folded !== null && folded !== undefined) folded.open = true
  refused?.focus()
  return refused !== null && refused !== undefined
}
