import { setQuery } from '../../router.ts'
import { Act } from '../../ui/act.tsx'
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
  /** Its column names the environment. */
  readonly isShort?: boolean
  /** The version that it brings. */
  readonly version?: string | undefined
}

/** `Release to dev…` is `Release…` in the column of dev, for those who see it. */
const Shortened = ({ label }: { readonly label: string }) => (
  <>
    <span aria-hidden="true">{label.replace(/ to .*(?=…)/, '')}</span>
    <span class="sr">{label}</span>
  </>
)

/** Opens the dialog of an act by its address. */
export function ActButton({ act, isPrimary = false, isShort = false, version }: ActButtonProps) {
  const { environment } = act
  const label = version === undefined ? labelOf(act) : `Release ${version} to ${environment ?? ''}…`
  const isNamed = environment === null || label.includes(environment)
  return (
    <Act
      icon={ICONS[act.do]}
      look={isPrimary ? 'primary' : undefined}
      reason={refusalOf(act)}
      shortcut={isPrimary ? 'p' : act.do === 'release' ? 'r' : undefined}
      onClick={() =>
        setQuery({
          do: act.do,
          environment: environment ?? undefined,
          to: undefined,
          version,
        })
      }
    >
      {isShort ? <Shortened label={label} /> : label}
      {!isNamed && <span class="sr"> in {environment}</span>}
    </Act>
  )
}
