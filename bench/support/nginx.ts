import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { makeAuthority } from '#tests/support/certificates.ts'

/** A gigabit per second, in bytes. */
const GIGABIT = 125_000_000

/**
 * The nginx of this machine with a folder: over HTTP, over TLS, and over TLS at a gigabit. It is the release host, and the
 * yardstick for serving files.
 */
export async function startNginx(program: string, directory: string, root: string) {
  const authority = await makeAuthority()
  const { cert, key } = await authority.issue()
  await mkdir(directory, { recursive: true })
  const [plain, tls, wire] = [freePort(), freePort(), freePort()]
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${directory}/${name};`)
    .join(' ')
  const secured = `ssl_certificate ${directory}/cert.pem; ssl_certificate_key ${directory}/key.pem;`
  await Bun.write(join(directory, 'cert.pem'), cert)
  await Bun.write(join(directory, 'key.pem'), key)
  await Bun.write(join(directory, 'authority.pem'), authority.pem)
  await Bun.write(
    join(directory, 'nginx.conf'),
    `daemon off; worker_processes 1; pid ${directory}/pid; error_log ${directory}/error.log;
user root;
events { worker_connections 256; }
http {
  access_log off; sendfile on; tcp_nopush on; ${temporary}
  server { listen 127.0.0.1:${plain}; root ${root}; }
  server { listen 127.0.0.1:${tls} ssl; ${secured} root ${root}; }
  server { listen 127.0.0.1:${wire} ssl; ${secured} root ${root}; limit_rate ${GIGABIT}; }
}
`,
  )
  const run = Bun.spawn([program, '-c', join(directory, 'nginx.conf')], { stderr: 'inherit' })
  for (;;) {
    const up = await fetch(`http://127.0.0.1:${plain}/`).catch(() => undefined)
    if (up !== undefined) break
    await Bun.sleep(20)
  }
  return {
    plain: `http://127.0.0.1:${plain}`,
    tls: `https://127.0.0.1:${tls}`,
    wire: `https://127.0.0.1:${wire}`,
    authorityFile: join(directory, 'authority.pem'),
    async stop() {
      run.kill('SIGQUIT')
      await run.exited
    },
  }
}

function freePort(): number {
  const server = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  const { port } = server
  server.stop(true)
  return port
}
