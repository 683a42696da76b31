/** A demo in a process of its own, and people who sign in there. */
export function startDemo(
  port: number,
  directory: string,
  variables: Readonly<Record<string, string>> = {},
) {
  const origin = `http://127.0.0.1:${port}`
  const child = Bun.spawn(['bun', 'src/main.ts', 'demo'], {
    env: {
      PATH: process.env['PATH'] ?? '',
      PORT: String(port),
      DATA_DIR: directory,
      ...variables,
    },
    stdout: 'ignore',
  })
  return {
    child,
    /** The cookie of a person, once the demo is ready. */
    signIn: async (user: string): Promise<string> => {
      for (;;) {
        const response = await fetch(`${origin}/dev/sign-in`, {
          method: 'POST',
          body: new URLSearchParams({ user }),
          redirect: 'manual',
        }).catch(() => undefined)
        if (response?.status === 303) {
          return response.headers.get('set-cookie')?.split(';')[0] ?? ''
        }
        await Bun.sleep(50)
      }
    },
  }
}
