/** Forwards streams from an API server with nothing but Bun. Arguments: port of the API server, its authority. Prints its port. */
const [apiPort = '', pem = ''] = process.argv.slice(2)
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  idleTimeout: 0,
  async fetch({ signal }) {
    const { body } = await fetch(
      `https://127.0.0.1:${apiPort}/api/v1/namespaces/pods-5/pods?watch=true`,
      { tls: { ca: pem, rejectUnauthorized: true }, signal },
    )
    return new Response(body)
  },
})
console.log(JSON.stringify({ port: server.port }))
