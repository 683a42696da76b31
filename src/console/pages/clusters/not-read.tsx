import { Icon } from '../../ui/icon.tsx'

interface NotReadProps {
  /** `null` when nothing of it can be read. */
  readonly part: readonly unknown[] | null
  /** The cluster does not let the person read all of it. */
  readonly refused: boolean
  /** Said when there is nothing. */
  readonly none: string
}

/** Why a part is empty, or not whole. */
export function NotRead({ part, refused, none }: NotReadProps) {
  if (part !== null && !refused) {
    return part.length === 0 && none !== '' ? <p class="none">{none}</p> : null
  }
  return (
    <p class="not-read">
      <Icon name="dash" />
      {part === null || part.length === 0
        ? 'The cluster does not let you read this.'
        : 'The cluster lets you read a part of this.'}
    </p>
  )
}
