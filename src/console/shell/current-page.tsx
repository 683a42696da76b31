import { signal, useSignal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { PAGES, type PageProps } from '../pages/index.ts'
import type { PageAddress, PageName } from '../paths.ts'
import { arrivals, here, page } from '../router.ts'
import { Loading } from '../ui/parts.tsx'
import { NotFound } from './not-found.tsx'

type AnyPage = ComponentType<{ readonly parameters: PageAddress['parameters'] }>

const loaded = signal<ReadonlyMap<PageName, AnyPage>>(new Map())

/** `pageOf` fills the parameters that the path of the page names. */
function withAnyParameters<Page extends PageName>(page: ComponentType<PageProps<Page>>): AnyPage {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return page as AnyPage
}

async function load<Page extends PageName>(name: Page): Promise<AnyPage> {
  const found = await PAGES[name]()
  return withAnyParameters(found.default)
}

/** The page of the address. Its heading takes the focus, except at the first look. */
export function CurrentPage() {
  const shown = page.value
  const name = shown?.page
  const failed = useSignal(false)
  const Page = name === undefined ? undefined : loaded.value.get(name)
  useEffect(() => {
    failed.value = false
    if (name === undefined || loaded.value.has(name)) return
    const show = async () => {
      try {
        const found = await load(name)
        loaded.value = new Map([...loaded.value, [name, found]])
      } catch {
        failed.value = true
      }
    }
    void show()
  }, [name])
  const key = shown === undefined ? '' : JSON.stringify([name, shown.parameters])
  const isLoaded = Page !== undefined
  const arrived = arrivals.value
  useEffect(() => {
    if (arrived > 0 && isLoaded) document.querySelector<HTMLElement>('h1')?.focus()
  }, [arrived, isLoaded])

  if (shown === undefined) return <NotFound />
  if (failed.value) return <NewVersion />
  if (Page === undefined) return <Loading>Loading the page…</Loading>
  return <Page key={key} parameters={shown.parameters} />
}

/** The code of a page is missing after an update of Portico: its files have new names. */
const NewVersion = () => (
  <p class="loading" role="alert">
    This page could not be loaded; perhaps Portico was updated.{' '}
    <a href={here.value} target="_self">
      Load it again
    </a>
  </p>
)
