import { batch, computed, signal } from '@preact/signals'
import { type PageAddress, pageOf, type Query, searchOf } from './paths.ts'

/** The address is the only store of what is shown: pages read it and write it, and keep no copy. */
const path = signal(location.pathname)
const search = signal(location.search)

export const page = computed<PageAddress | undefined>(() => pageOf(path.value))

export const query = computed(() => new URLSearchParams(search.value))

/** Path and query of the page, for links that lead back. */
export const here = computed(() => `${path.value}${search.value}`)

/** Counts navigations to another page, so that the shell moves the focus once for each. */
export const arrivals = signal(0)

function readAddress() {
  batch(() => {
    const arrived = path.peek() !== location.pathname
    path.value = location.pathname
    search.value = location.search
    if (arrived) arrivals.value += 1
  })
}

/** Writing an address takes the browser milliseconds, and it asks for the icon again: typing waits for a pause. */
const TYPED_AFTER_MS = 150
let typing: ReturnType<typeof setTimeout> | undefined

function writeTyped() {
  if (typing === undefined) return
  clearTimeout(typing)
  typing = undefined
  history.replaceState(null, '', here.peek())
}

/** The query of a text that is being typed: pages see it at once, the address a moment later. */
export function typeQuery(changes: Query) {
  search.value = searchOf({ ...Object.fromEntries(query.peek()), ...changes })
  clearTimeout(typing)
  typing = setTimeout(writeTyped, TYPED_AFTER_MS)
}

function write(href: string, how: 'pushState' | 'replaceState') {
  writeTyped()
  history[how](null, '', href)
  readAddress()
}

export function go(href: string) {
  write(href, 'pushState')
  scrollTo(0, 0)
}

/** Typing replaces, choosing pushes: Back then undoes one choice, not one letter. */
export function setQuery(changes: Query, { replace = false }: { readonly replace?: boolean } = {}) {
  const next = searchOf({ ...Object.fromEntries(query.peek()), ...changes })
  write(next === '' ? location.pathname : next, replace ? 'replaceState' : 'pushState')
}

/** The link of a plain click that leads to a page of the console. */
function pageLink(event: MouseEvent): HTMLAnchorElement | undefined {
  const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey
  if (!isPlain || event.altKey || event.defaultPrevented) return undefined
  if (!(event.target instanceof Element)) return undefined
  const link = event.target.closest('a')
  if (link === null || link.target !== '' || link.hasAttribute('download')) return undefined
  if (link.origin !== location.origin) return undefined
  const isHere = link.pathname + link.search === location.pathname + location.search
  if (link.hash !== '' && isHere) return undefined
  return pageOf(link.pathname) === undefined ? undefined : link
}

let askFirst: (() => void) | undefined

/** Asks before a step through the history, which would lose what is typed. Ends when the answered function is called. */
export function askBeforeLeaving(ask: () => void): () => void {
  askFirst = ask
  return () => {
    if (askFirst === ask) askFirst = undefined
  }
}

export function startRouter() {
  addEventListener('popstate', () => {
    if (askFirst !== undefined) {
      history.pushState(null, '', here.peek())
      askFirst()
      return
    }
    // The text belonged to the page that was left.
    clearTimeout(typing)
    typing = undefined
    readAddress()
  })
  addEventListener('pagehide', writeTyped)
  addEventListener('click', (event) => {
    const link = pageLink(event)
    if (link === undefined) return
    event.preventDefault()
    go(link.pathname + link.search + link.hash)
  })
}
