import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { blocksOf, LINES_MAX, printed, type TextBlock } from './text-blocks.ts'
import { visible } from './visible.ts'
import { counted } from './words.ts'

/** A text whose indented parts fold. */
export function TextTree({ text, name }: { readonly text: string; readonly name: string }) {
  const shown = useMemo(() => printed(text), [text])
  const blocks = useMemo(() => blocksOf(shown), [shown])
  const more = shown.trimEnd().split('\n').length - LINES_MAX
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div class="text-tree" role="region" aria-label={name} tabIndex={0}>
      {blocks.map((block, index) => (
        <Block key={index} block={block} />
      ))}
      {more > 0 && <p class="muted">{counted(more, 'further line')} not shown</p>}
    </div>
  )
}

/** Only what is open is drawn: a text may have thousands of lines. */
function Block({ block: { line, inside } }: { readonly block: TextBlock }) {
  const isOpen = useSignal(true)
  if (inside.length === 0) return <div>{visible(line)}</div>
  return (
    <details
      open={isOpen.value}
      onToggle={(event) => {
        isOpen.value = event.currentTarget.open
      }}
    >
      <summary>{visible(line)}</summary>
      {isOpen.value && inside.map((block, index) => <Block key={index} block={block} />)}
    </details>
  )
}
