import { ICONS, type IconName } from './icons.ts'

/** Decoration: the text beside it says the same. */
export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg viewBox="0 0 16 16" aria-hidden="true">
    <path d={ICONS[name]} />
  </svg>
)
