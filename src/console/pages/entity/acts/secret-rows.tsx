import { useLayoutEffect, useRef } from 'preact/hooks'
import { Act } from '../../../ui/act.tsx'
import { Field } from '../../../ui/field.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { type SecretRow, type Secrets, SECRETS } from './request.ts'

export interface SecretRowsProps {
  readonly form: Secrets
  /** Path in the secret store. */
  readonly store: string
  readonly errors: ReadonlyMap<number, string>
  /** Mistakes of all rows together. */
  readonly together: readonly string[] | undefined
  readonly onChange: (changes: Partial<Secrets>) => void
}

const nameAt = (id: number) => `${SECRETS}/${id}/name`

/** Names and values for the secret store. The values are in this form until it closes, and nowhere else. */
export function SecretRows({ form, store, errors, together = [], onChange }: SecretRowsProps) {
  const { secrets, overwrites } = form
  const nextId = useRef(1)
  const change = (id: number, changes: Partial<SecretRow>) =>
    onChange({ secrets: secrets.map((row) => (row.id === id ? { ...row, ...changes } : row)) })
  const addButton = useRef<HTMLButtonElement>(null)
  const focusOn = useRef<string | undefined>(undefined)
  // At once, not after the next frame: until then, keys would reach the button.
  useLayoutEffect(() => {
    if (focusOn.current !== undefined) document.getElementById(focusOn.current)?.focus()
    focusOn.current = undefined
  })
  const add = () => {
    const id = nextId.current++
    focusOn.current = nameAt(id)
    onChange({ secrets: [...secrets, { id, key: '', value: '' }] })
  }
  const remove = (id: number) => {
    addButton.current?.focus()
    onChange({ secrets: secrets.filter((row) => row.id !== id) })
  }
  return (
    <fieldset class="input act-secrets">
      <legend>Secrets</legend>
      <p class={together.length > 0 ? 'error' : undefined}>
        {together.length > 0 ? (
          together.join('; ')
        ) : (
          <>
            Stored in <code>{store}</code>, never in git
          </>
        )}
      </p>
      {secrets.map(({ id, key, value }, at) => (
        <div key={id} class="act-secret">
          <Field
            path={nameAt(id)}
            label={`Name ${at + 1}`}
            placeholder="STRIPE_KEY"
            value={key}
            onInput={(text) => change(id, { key: text.trim() })}
            errors={errors.has(id) ? [errors.get(id) ?? ''] : []}
          />
          <Field
            path={`${SECRETS}/${id}/value`}
            label={`Value ${at + 1}`}
            control="password"
            value={value}
            onInput={(text) => change(id, { value: text })}
          />
          <Act
            icon="close"
            look="quiet"
            name={`Remove secret ${key === '' ? at + 1 : key}`}
            onClick={() => remove(id)}
          />
        </div>
      ))}
      {secrets.length > 0 && (
        <Field
          path="/overlayConfig/overwriteSecrets"
          label="Overwrite existing secrets"
          control="checkbox"
          value={String(overwrites)}
          onInput={(text) => onChange({ overwrites: text === 'true' })}
        />
      )}
      <button ref={addButton} type="button" class="button" onClick={add}>
        <Icon name="plus" />
        Add a secret
      </button>
    </fieldset>
  )
}
