import { useSignal } from '@preact/signals'
import { Copy } from '../../ui/copy.tsx'
import { visible } from '../../ui/visible.ts'
import type { Entity } from './entity.ts'

/** The whole entity as the API has it: fields that this page does not know are there too. */
export function Source({ entity }: { readonly entity: Entity }) {
  const isOpen = useSignal(false)
  return (
    <details
      class="card entity-source"
      onToggle={(event) => {
        isOpen.value = event.currentTarget.open
      }}
    >
      <summary>Source</summary>
      {isOpen.value && <Text text={JSON.stringify(entity, null, 2)} name="the source" />}
    </details>
  )
}

interface TextProps {
  readonly text: string
  readonly name: string
}

/** A text that is read as it is, in a box that scrolls. */
export const Text = ({ text, name }: TextProps) => (
  <div class="entity-text">
    <Copy text={text} name={name} />
    {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
    <pre tabIndex={0} aria-label={`Text of ${name}`}>
      {text.split('\n').map(visible).join('\n')}
    </pre>
  </div>
)
