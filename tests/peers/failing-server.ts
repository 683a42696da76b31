/** A process that serves a file that is not there, as a whole and in part, and a request that throws. Prints its URL. */
import { runServer } from '#src/compose/server.ts'
import { catchTermination } from '#src/termination.ts'

const missing = () => Bun.file('/nowhere/secret-name')

runServer({
  termination: catchTermination(),
  host: '127.0.0.1',
  port: 0,
  prepare: () =>
    Promise.resolve({
      fetch(request) {
        if (request.url.endsWith('/whole')) return new Response(missing())
        if (request.url.endsWith('/part'))
          return new Response(missing().slice(0, 5), { status: 206 })
        throw new Error('secret reason')
      },
      drain() {},
      started: Promise.resolve(),
      close: () => Promise.resolve(),
    }),
  onReady: ({ url }) => console.log(url.href),
})
