import { useEffect, useRef } from 'preact/hooks'
import type { Problem } from '../api/result.ts'
import { isLeft, signedOut } from '../api/session-state.ts'
import { session, signInUrl } from '../api/session.ts'
import { isLaterMissing, later, loadLater } from '../load-later.ts'
import { PATHS } from '../paths.ts'
import { arrivals } from '../router.ts'
import { announce } from '../ui/announce.ts'
import { Icon } from '../ui/icon.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { CurrentPage, NOT_LOADED } from './current-page.tsx'
import { COMMAND_KEY } from './keyboard.ts'
import { Sections, Teams } from './nav.tsx'
import { Announcer, Notices } from './notices.tsx'
import { closeOverlay, overlay } from './overlay.ts'
import { Who } from './who.tsx'

/** The sign of Portico; the same drawing as `icon.svg`. */
const Brand = () => (
  <svg class="brand-sign" viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="8" />
    <path d="M7 12 16 7l9 5M8.5 25h15M11 14v8M16 14v8M21 14v8" />
  </svg>
)

const MENU = 'menu'

function openPalette() {
  overlay.value = 'palette'
}

function skipToPage(event: Event) {
  event.preventDefault()
  document.querySelector<HTMLElement>('h1')?.focus()
}

const Side = () => (
  <header class="side">
    <a class="brand" href={PATHS.home}>
      <Brand />
      Portico
    </a>
    <button
      type="button"
      class="button quiet icon menu"
      aria-label="Jump to…"
      onClick={openPalette}
    >
      <Icon name="search" />
    </button>
    <button type="button" class="button quiet icon menu" popovertarget={MENU} aria-label="Menu">
      <Icon name="menu" />
    </button>
    <div class="side-parts">
      <button type="button" class="jump" aria-keyshortcuts="Control+K Meta+K" onClick={openPalette}>
        <Icon name="search" />
        Jump to…<kbd aria-hidden="true">{COMMAND_KEY} K</kbd>
      </button>
      <Sections />
      <Teams />
    </div>
    <Who place="side" />
  </header>
)

/** On a narrow window the side bar is a popover. It closes when a page is reached. */
function Menu() {
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => element.current?.hidePopover(), [arrivals.value])
  return (
    <div ref={element} id={MENU} popover="auto" class="side-menu">
      <Who place="menu" />
      <Sections />
      <Teams />
    </div>
  )
}

export function Frame() {
  const refused = signedOut.value
  if (isLeft.value) return null
  if (refused !== undefined && session.value === undefined) return <SignIn problem={refused} />
  return (
    <>
      <a class="button skip" href="#main" onClick={skipToPage}>
        Skip to the page
      </a>
      <div class="shell">
        <Side />
        <main id="main">
          <Notices />
          <CurrentPage />
        </main>
      </div>
      <Menu />
      <Overlays />
      <Announcer />
    </>
  )
}

/** Shown in place of every page to people without a session. */
const SignIn = ({ problem }: { readonly problem: Problem }) => (
  <main class="sign-in">
    <Brand />
    <PageHead title="Sign in to Portico" />
    <p>
      {problem.code === 'session_invalid'
        ? 'Your session has ended. Sign in to come back to this page.'
        : 'See what is broken, what waits for you, and what runs where.'}
    </p>
    <a class="button primary" href={signInUrl()}>
      Sign in
    </a>
  </main>
)

async function prepare() {
  await loadLater()
  if (!isLaterMissing.value) return
  closeOverlay()
  announce(NOT_LOADED)
}

function Overlays() {
  const open = overlay.value
  const code = later.value
  useEffect(() => {
    if (open !== undefined) void prepare()
  }, [open])
  if (open === undefined || code === undefined) return null
  return open === 'palette' ? <code.Palette /> : <code.KeysDialog />
}
