import { Field } from '../../../ui/field.tsx'
import type { PlacedErrors } from '../../../ui/field-errors.ts'
import { AT } from './form-plan.ts'

export interface MessageFieldProps {
  readonly message: string
  readonly onInput: (text: string) => void
  readonly errors: PlacedErrors['at']
}

export const MessageField = ({ message, onInput, errors }: MessageFieldProps) => (
  <Field
    path={AT.message}
    label="Message"
    help="For the reviewer"
    value={message}
    errors={errors.get(AT.message)}
    onInput={onInput}
  />
)
