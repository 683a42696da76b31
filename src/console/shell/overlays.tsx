import { signal } from '@preact/signals'
import { lazy } from '../ui/lazy.tsx'

/** What is open above every page. */
export const overlay = signal<'palette' | 'keys' | undefined>(undefined)

export const closeOverlay = () => {
  overlay.value = undefined
}

const Palette = lazy(() => import('./palette/palette.tsx'))
const KeysDialog = lazy(() => import('./keys-dialog.tsx'))

export const Overlays = () => (
  <>
    {overlay.value === 'palette' && <Palette />}
    {overlay.value === 'keys' && <KeysDialog />}
  </>
)
