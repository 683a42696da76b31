import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, type BrowserContext, type Page, request } from 'playwright-core'
import type { people } from '#src/demo/people.ts'
import { sharedBrowser } from './browser.ts'
import { freePort } from './free-port.ts'
import { openWatched, watchContext } from './page-watch.ts'
import { type PorticoProcess, startPortico } from './portico-process.ts'

type StorageState = Awaited<ReturnType<BrowserContext['storageState']>>
type PersonId = keyof typeof people

/** Shorter than the deadline of a test: the message then names what did not appear. */
const TIMEOUT_MS = 90_000
/** Sessions are listed by device. */
const USER_AGENT =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36'
const HEIGHTS = { 1440: 900, 390: 844, 320: 640 } as const

export interface View {
  /** Who is signed in. `null`: nobody. */
  readonly as?: PersonId | null
  readonly width?: keyof typeof HEIGHTS
  readonly scheme?: 'light' | 'dark'
  readonly forcedColors?: 'active'
}

export interface ConsoleUnderTest extends AsyncDisposable {
  readonly url: string
  readonly browser: Browser
  /** Session of a person. Contexts share it: a person has few sessions, and a new one ends the oldest. */
  sessionOf(person: PersonId): Promise<StorageState>
  /** Another browser profile: its own cookies and tabs, all pages watched for `expectClean`. */
  profile(view?: View): Promise<BrowserContext>
  /** A page in a profile of its own, or a further tab of the given one, when its heading is there. */
  open(path: string, view?: View | BrowserContext): Promise<Page>
  /** Kills the server. */
  stop(): Promise<void>
  /** Starts it again, on the same port with the same data. */
  start(): Promise<void>
}

const isProfile = (view: View | BrowserContext): view is BrowserContext => 'newPage' in view

/** Goes to a page of the console by its address, and waits until its heading is there. */
export async function visit(page: Page, url: string): Promise<void> {
  await page.goto(url)
  await page.getByRole('heading', { level: 1 }).waitFor()
}

/** A demo, and profiles of the browser. Start one for a test file. */
export async function startConsole(): Promise<ConsoleUnderTest> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-console-'))
  const variables = { PORT: String(freePort()), DATA_DIR: folder }
  const run = () => startPortico(['demo'], variables)
  const [first, browser] = await Promise.all([run(), sharedBrowser()])
  const { url } = first
  let portico: PorticoProcess | undefined = first
  const stop = async () => {
    await portico?.[Symbol.asyncDispose]()
    portico = undefined
  }

  const profiles: BrowserContext[] = []
  const sessions = new Map<PersonId, Promise<StorageState>>()
  const sessionOf = (person: PersonId) => {
    const session = sessions.get(person) ?? signIn(url, person)
    sessions.set(person, session)
    return session
  }

  async function profile(view: View = {}): Promise<BrowserContext> {
    const { as = 'dev', width = 1440, scheme = 'light', forcedColors = 'none' } = view
    const context = await browser.newContext({
      baseURL: url,
      viewport: { width, height: HEIGHTS[width] },
      colorScheme: scheme,
      forcedColors,
      // Animations only delay tests; the test of motion asks for them.
      reducedMotion: 'reduce',
      ...(as === null ? {} : { storageState: await sessionOf(as) }),
    })
    profiles.push(context)
    context.setDefaultTimeout(TIMEOUT_MS)
    watchContext(context, url)
    return context
  }

  return {
    url,
    browser,
    sessionOf,
    profile,
    async open(path, view = {}) {
      const context = isProfile(view) ? view : await profile(view)
      const page = await openWatched(context, url)
      await visit(page, path)
      return page
    },
    stop,
    async start() {
      portico ??= await run()
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(profiles.map((context) => context.close()))
      await stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function signIn(url: string, user: PersonId): Promise<StorageState> {
  const client = await request.newContext({ userAgent: USER_AGENT })
  await client.post(`${url}/dev/sign-in`, { form: { user }, maxRedirects: 0 })
  const state = await client.storageState()
  await client.dispose()
  return state
}
