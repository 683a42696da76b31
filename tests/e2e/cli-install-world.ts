import { openDemo } from '#tests/demo/open-demo.ts'
import { runProgram } from '#tests/support/run-program.ts'

export const INSTALLER = '/api/v1/cli/install.sh'

/** A demo, a person who is signed in, and their installer. */
export async function openInstaller() {
  const demo = await openDemo()
  const dev = await demo.signIn('dev')
  const session = dev.cookie.slice('portal_session='.length)
  const response = await dev.get(INSTALLER)
  const script = await response.text()

  /** Runs the script as people do: `curl … | sh`. */
  async function install(
    directory: string,
    variables: Readonly<Record<string, string>> = {},
    text: string = script,
  ) {
    const own = { PATH: process.env['PATH'], HOME: directory, PORTAL_SESSION: session }
    const ended = await runProgram(['sh'], { input: text, env: { ...own, ...variables } })
    return { ...ended, stdout: ended.stdout.trim(), stderr: ended.stderr.trim() }
  }

  /** A proxy that changes the answers. */
  const between = (change: (response: Response) => Promise<Response> | Response) =>
    Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      async fetch(request) {
        const { pathname } = new URL(request.url)
        const headers = { cookie: request.headers.get('cookie') ?? '' }
        return change(await fetch(`${demo.url}${pathname}`, { headers }))
      },
    })

  return {
    demo,
    session,
    script,
    contentType: response.headers.get('content-type'),
    install,
    between,
    [Symbol.asyncDispose]: () => demo[Symbol.asyncDispose](),
  }
}
