/**
 * Upper limit of throughput: a bare `Bun.serve` that sends the bodies of another server, prepared. Arguments: port, cookie, origin,
 * content coding (`identity` or `gzip`), paths.
 */
const [port, cookie = '', origin = '', coding = '', ...paths] = process.argv.slice(2)

const bodies = new Map<string, Uint8Array<ArrayBuffer>>()
for (const path of paths) {
  const response = await fetch(`${origin}${path}`, {
    headers: { cookie, 'accept-encoding': coding },
    decompress: false,
  })
  bodies.set(path, new Uint8Array(await response.arrayBuffer()))
}

Bun.serve({
  port: Number(port),
  hostname: '127.0.0.1',
  fetch(request) {
    const { url } = request
    const body = bodies.get(url.slice(url.indexOf('/', 8)))
    return new Response(body, { headers: { 'content-type': 'application/json' } })
  },
})
console.log('ready')
