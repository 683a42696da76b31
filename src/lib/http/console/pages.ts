import { Elysia } from 'elysia'
import { FILTERS, PATHS } from '#src/console/paths.ts'
import { problem } from '../problem.ts'
import type { createConsoleAnswers } from './answers.ts'

type ConsoleAnswers = ReturnType<typeof createConsoleAnswers>

/**
 * The pages of the console at their paths, and their assets. The browser makes a page of its path, so that every page is the
 * same document, whatever its parameters contain.
 */
export function consolePages(answers: ConsoleAnswers) {
  const app = new Elysia()
  for (const path of Object.values(PATHS)) {
    app.get(path, ({ request }) => movedPage(request) ?? answers.page(request))
  }
  app.get('/waiting', ({ request }) => redirect(PATHS.home + new URL(request.url).search))
  return app.get('/console/:asset', async ({ request, params }) => {
    const answer = await answers.asset(request, params.asset)
    return answer ?? problem(request, { kind: 'not_found' })
  })
}

/** The catalog was at `/`: a filter leads to it. */
function movedPage({ url }: Request): Response | undefined {
  const { pathname, search, searchParams } = new URL(url)
  const isFiltered = pathname === PATHS.home && FILTERS.some((name) => searchParams.has(name))
  return isFiltered ? redirect(PATHS.catalog + search) : undefined
}

/** Paths of programs. What they mistype is a problem, also for a browser. */
const OF_PROGRAMS = /^\/(?:api|console|docs|git|mcp|oauth|\.well-known)(?:\/|$)/

/** The page that says so, for a person who mistypes the address of one; `undefined` for everything else. */
export function missingPage(
  answers: Pick<ConsoleAnswers, 'missingPage'>,
  request: Request,
): Promise<Response> | undefined {
  const isAsked =
    (request.method === 'GET' || request.method === 'HEAD') &&
    request.headers.get('accept')?.includes('text/html') === true
  const isPage = isAsked && !OF_PROGRAMS.test(new URL(request.url).pathname)
  return isPage ? answers.missingPage(request) : undefined
}

/** Without the console the service begins with another page. */
export const redirectedStart = (location: string) => new Elysia().get('/', () => redirect(location))

const redirect = (location: string) => new Response(null, { status: 302, headers: { location } })
