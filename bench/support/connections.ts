const HEAD_END = Buffer.from('\r\n\r\n')

/**
 * Sends the same GET again and again over kept connections, each as soon as the answer before is complete. A client this plain
 * keeps the server busy, as wrk does. Rejects at any answer but 200.
 */
export async function sendOver(
  url: string,
  {
    cookie,
    connections,
    requests,
  }: Readonly<Record<'connections' | 'requests', number>> & {
    readonly cookie: string
  },
): Promise<void> {
  const { hostname, port, pathname, search, host } = new URL(url)
  const request = `GET ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\ncookie: ${cookie}\r\n\r\n`
  let toSend = requests
  let toAnswer = requests
  const { promise, resolve, reject } = Promise.withResolvers<void>()

  /** Bytes of the body that is being received; `null` between two answers. */
  const open = () => {
    let head: Buffer = Buffer.alloc(0)
    let left = 0
    const answered = (socket: Bun.Socket) => {
      toAnswer -= 1
      if (toAnswer === 0) resolve()
      send(socket)
    }
    const send = (socket: Bun.Socket) => {
      if (toSend === 0) return void socket.end()
      toSend -= 1
      socket.write(request)
    }
    return Bun.connect({
      hostname,
      port: Number(port),
      socket: {
        open: send,
        error: (_socket, error) => reject(error),
        data(socket, chunk) {
          let body = chunk.length
          if (left === 0) {
            head = head.length === 0 ? chunk : Buffer.concat([head, chunk])
            const end = head.indexOf(HEAD_END)
            if (end < 0) return
            const text = head.toString('latin1', 0, end)
            const length = /^content-length: *(\d+)/im.exec(text)?.[1]
            if (!text.startsWith('HTTP/1.1 200') || length === undefined)
              return reject(new Error(text))
            left = Number(length)
            body = head.length - end - HEAD_END.length
            head = Buffer.alloc(0)
          }
          left -= body
          if (left === 0) answered(socket)
        },
      },
    })
  }
  await Promise.all(Array.from({ length: connections }, open))
  await promise
}
