import { Elysia } from 'elysia'
import type { DemoDeps } from '#src/demo/deps.ts'
import { page } from '#src/console/git/page.ts'
import { startMain } from '#src/demo/pages/start-page.ts'
import { contextOf } from '#src/lib/http/request-context.ts'

const DEMO = { styles: ['/dev/style.css'] }

export default ({ origin, hasConsole }: Pick<DemoDeps, 'origin' | 'hasConsole'>) =>
  new Elysia().get('', ({ request }) =>
    page(
      request,
      'About this demo',
      startMain(contextOf(request).session, { origin, hasConsole }),
      DEMO,
    ),
  )
