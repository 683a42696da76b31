import { useSignal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect, useErrorBoundary } from 'preact/hooks'
import type { PAGES } from '../later.ts'
import { isLaterMissing, later, loadLater } from '../load-later.ts'
import Catalog from '../pages/catalog/page.tsx'
import type { PageAddress, PageName } from '../paths.ts'
import { arrivals, here, page } from '../router.ts'
import { Loading } from '../ui/parts.tsx'

export const NOT_LOADED = 'This page could not be loaded.'

type AnyPage = ComponentType<{ readonly parameters: PageAddress['parameters'] }>

/** `pageOf` fills the parameters that the path of the page names. */
function withAnyParameters(pages: typeof PAGES): Readonly<Record<keyof typeof PAGES, AnyPage>> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return pages as Readonly<Record<keyof typeof PAGES, AnyPage>>
}

function codeOf(name: PageName | undefined): AnyPage | undefined {
  if (name === 'catalog') return Catalog
  const code = later.value
  if (code === undefined) return undefined
  return name === undefined ? code.NotFound : withAnyParameters(code.PAGES)[name]
}

/** The page of the address. Its heading takes the focus, except at the first look. */
export function CurrentPage() {
  const shown = page.value
  const Page = codeOf(shown?.page)
  const isLoaded = Page !== undefined
  const arrived = arrivals.value
  useEffect(() => {
    if (!isLoaded) void loadLater()
  }, [isLoaded, shown])
  useEffect(() => {
    if (arrived === 0 || !isLoaded) return
    // A way forward begins at the top; on the way back the browser finds the place again.
    document.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true })
  }, [arrived, isLoaded])

  if (Page === undefined) {
    return isLaterMissing.value ? <Reload>{NOT_LOADED}</Reload> : <Loading>Loading…</Loading>
  }
  const parameters = shown?.parameters ?? {}
  return <Guarded key={JSON.stringify(shown)} page={Page} parameters={parameters} />
}

interface GuardedProps {
  readonly page: AnyPage
  readonly parameters: PageAddress['parameters']
}

/** A page that fails while it is drawn leaves the frame, which leads to the other pages. */
function Guarded({ page: Page, parameters }: GuardedProps) {
  const isFailed = useSignal(false)
  useErrorBoundary((thrown: unknown) => {
    console.error(thrown)
    isFailed.value = true
  })
  if (isFailed.value) return <Reload>This page failed.</Reload>
  return <Page parameters={parameters} />
}

const Reload = ({ children }: { readonly children: string }) => (
  <p class="loading" role="alert">
    {children}{' '}
    <a href={here.value} target="_self">
      Load it again
    </a>
  </p>
)
