import { useSignal } from '@preact/signals'
import { Copy } from '../../ui/copy.tsx'
import { TextTree } from '../../ui/text-tree.tsx'
import type { Entity } from './entity.ts'

/** The whole entity as the API has it: fields that this page does not know are there too. */
export function Source({ entity }: { readonly entity: Entity }) {
  const isOpen = useSignal(false)
  const text = JSON.stringify(entity, null, 2)
  return (
    <details
      class="card entity-source"
      onToggle={(event) => {
        isOpen.value = event.currentTarget.open
      }}
    >
      <summary>Source</summary>
      {isOpen.value && (
        <div class="entity-text">
          <Copy text={text} name="the source" />
          <TextTree text={text} name="Text of the source" />
        </div>
      )}
    </details>
  )
}
