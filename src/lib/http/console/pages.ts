import { Elysia } from 'elysia'
import { PATHS } from '#src/console/paths.ts'
import { problem } from '../problem.ts'
import { createConsoleAnswers } from './answers.ts'
import type { ConsoleFiles } from './files.ts'

/**
 * The pages of the console at their paths, and their assets. The browser makes a page of its path, so that every page is the
 * same document, whatever its parameters contain.
 */
export function consolePages(read: () => Promise<ConsoleFiles>) {
  const answers = createConsoleAnswers(read)
  const app = new Elysia()
  for (const path of Object.values(PATHS)) app.get(path, ({ request }) => answers.page(request))
  return app.get('/console/:asset', async ({ request, params }) => {
    const answer = await answers.asset(request, params.asset)
    return answer ?? problem(request, { kind: 'not_found' })
  })
}

/** Without the console the service begins with another page. */
export const redirectedStart = (location: string) =>
  new Elysia().get('/', () => new Response(null, { status: 302, headers: { location } }))
