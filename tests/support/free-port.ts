/** A port that was free a moment ago. */
export function freePort(): number {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() })
  const { port } = server
  void server.stop(true)
  if (port === undefined) throw new Error('no port')
  return port
}
