import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/deps.ts'
import { installScript } from '#src/lib/presenters/cli/install.ts'
import { operation } from '#src/lib/http/operation.ts'
import { session } from '#src/lib/http/session.ts'

const description = operation({
  id: 'getCliInstaller',
  tag: 'CLI',
  summary: 'Get a shell script that installs the command line client',
  description:
    'For `sh`. The script detects the platform, downloads with the session in `PORTAL_SESSION`, checks the SHA-256, and installs the program by one rename. Its first lines list its settings.',
  responses: {
    200: {
      description: 'The script',
      content: { contentType: 'text/x-shellscript', schema: Type.String() },
    },
  },
})

export default ({ cliName, publicOrigin }: Pick<Deps, 'cliName' | 'publicOrigin'>) =>
  new Elysia().use(session).get(
    '',
    () =>
      new Response(installScript(cliName, publicOrigin), {
        headers: { 'content-type': 'text/x-shellscript; charset=utf-8' },
      }),
    description,
  )
