import { setQuery } from '../../router.ts'
import { Act } from '../../ui/parts.tsx'
import type { IconName } from '../../ui/icons.ts'
import { type EntityAct, labelOf, refusalOf } from './acts/acts-of.ts'

const ICONS = {
  promote: 'up',
  release: 'arrows',
  update: 'up',
  rollback: 'undo',
  confirm: 'check',
  deprecate: 'box',
} as const satisfies Record<EntityAct['do'], IconName>

interface ActButtonProps {
  readonly act: EntityAct
  readonly isPrimary?: boolean
}

/** Opens the dialog of an act by its address. */
export function ActButton({ act, isPrimary = false }: ActButtonProps) {
  const { environment } = act
  const label = labelOf(act)
  const isNamed = environment === null || label.includes(environment)
  return (
    <Act
      icon={ICONS[act.do]}
      isPrimary={isPrimary}
      reason={refusalOf(act)}
      onClick={() => setQuery({ do: act.do, environment: environment ?? undefined, to: undefined })}
    >
      {label}
      {!isNamed && <span class="sr"> in {environment}</span>}
    </Act>
  )
}
