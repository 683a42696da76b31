import { useEffect } from 'preact/hooks'
import { isLaterMissing, later, loadLater } from '../load-later.ts'
import { announce } from '../ui/announce.ts'
import { closeOverlay, overlay } from './overlay.ts'
import { WORDS } from './words.ts'

async function prepare() {
  await loadLater()
  if (!isLaterMissing.value) return
  closeOverlay()
  announce(WORDS.notLoaded)
}

export function Overlays() {
  const open = overlay.value
  const code = later.value
  useEffect(() => {
    if (open !== undefined) void prepare()
  }, [open])
  if (open === undefined || code === undefined) return null
  return open === 'palette' ? <code.Palette /> : <code.KeysDialog />
}
