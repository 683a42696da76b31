import { useSignal } from '@preact/signals'
import type { Entity } from './entity.ts'
import { Text } from './source.tsx'

/** The document of an API. It may have a megabyte, so that it is drawn when somebody opens it. */
export function Definition({ spec }: { readonly spec: Entity['spec'] }) {
  const isOpen = useSignal(false)
  const definition = spec?.['definition']
  if (typeof definition !== 'string') return null
  return (
    <details
      class="card entity-source"
      onToggle={(event) => {
        isOpen.value = event.currentTarget.open
      }}
    >
      <summary>
        Definition <span class="muted">{spec?.type}</span>
      </summary>
      {isOpen.value && <Text text={definition} name="the definition" />}
    </details>
  )
}
