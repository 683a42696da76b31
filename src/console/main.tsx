import { render } from 'preact'
import style from './app.css' with { type: 'text' }
import { adoptStyle } from './adopt-style.ts'
import { startLive } from './api/live/tabs.ts'
import { startRefreshing } from './api/resource.ts'
import { startSession } from './api/session.ts'
import { loadLaterWhenIdle } from './load-later.ts'
import { startRouter } from './router.ts'
import { Frame } from './shell/frame.tsx'
import { startKeyboard } from './shell/keyboard.ts'
import { applyTheme } from './shell/theme.ts'

adoptStyle(style)
applyTheme()
startRouter()
startLive()
startRefreshing()
startSession()
startKeyboard()

const root = document.querySelector('#app')
if (root !== null) render(<Frame />, root)
loadLaterWhenIdle()
