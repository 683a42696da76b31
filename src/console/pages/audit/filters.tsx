import { session } from '../../api/session.ts'
import { query, setQuery } from '../../router.ts'
import { Field } from '../../ui/field.tsx'
import { ACTIONS, EVERY_ACTION } from './trail.ts'
import { WORDS } from './words.ts'

interface FiltersProps {
  readonly filter: Readonly<Record<'team' | 'entity' | 'actor', string | undefined>>
}

/** A search is for whole names, so that it begins when a field is left or Enter is pressed. */
export function Filters({ filter }: FiltersProps) {
  const person = session.value
  const teams = person?.teams ?? []
  const { team = '' } = filter
  const action = query.value.get('action') ?? ''
  return (
    <search class="filters">
      {person?.platform === true ? (
        <Text name="team" label="Team" value={team} example="payments" />
      ) : (
        <Field
          path="team"
          label="Team"
          control="select"
          value={team}
          options={teams.includes(team) ? teams : [team, ...teams]}
          onInput={(text) => setQuery({ team: text })}
        />
      )}
      <Text
        name="entity"
        label="Entity"
        value={filter.entity ?? ''}
        example="component/payments-api"
      />
      <Text
        name="actor"
        label={WORDS.person}
        value={filter.actor ?? ''}
        example={person?.subject ?? ''}
      />
      <Field
        path="action"
        label="Action"
        control="select"
        value={action}
        options={[
          { value: '', label: WORDS.usual },
          { value: EVERY_ACTION, label: WORDS.all },
          ...(isOffered(action) ? [] : [action]),
          ...ACTIONS,
        ]}
        onInput={(text) => setQuery({ action: text })}
      />
    </search>
  )
}

const isOffered = (action: string): boolean =>
  action === '' || action === EVERY_ACTION || ACTIONS.some((known) => known === action)

interface TextProps {
  readonly name: string
  readonly label: string
  readonly value: string
  readonly example: string
}

const Text = ({ name, label, value, example }: TextProps) => (
  <form
    class="input"
    onSubmit={(event) => {
      event.preventDefault()
    }}
  >
    <label for={name}>{label}</label>
    <input
      id={name}
      type="text"
      value={value}
      placeholder={example}
      autocomplete="off"
      spellcheck={false}
      onChange={(event) => setQuery({ [name]: event.currentTarget.value.trim() })}
    />
    <p />
  </form>
)
