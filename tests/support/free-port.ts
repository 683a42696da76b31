const LEAST = 10_000
/** Linux gives the ports from 32,768 on to whoever asks for any. */
const MOST = 32_000

/** A port that is free now, and that nobody is given who asks for any: a server can leave it and come back. */
export function freePort(): number {
  for (;;) {
    const port = LEAST + Math.floor(Math.random() * (MOST - LEAST))
    try {
      void Bun.serve({ hostname: '127.0.0.1', port, fetch: () => new Response() }).stop(true)
      return port
    } catch (cause) {
      if (!(cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE')) throw cause
    }
  }
}
