import { createOidcIdentityProvider } from '#src/lib/adapters/identity/oidc/index.ts'
import type { IdentityProvider } from '#src/lib/ports/identity.ts'
import { oidcSettings } from '#tests/support/oidc-settings.ts'

export const providerAt = (url: string): IdentityProvider =>
  createOidcIdentityProvider(oidcSettings(url, { OIDC_CLIENT_SECRET: '' }))

/** An issuer that writes these bytes to whoever sends it a form, and closes the connection. */
export function openRawIssuer(bytes: string) {
  const server = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      data(socket, request) {
        socket.end(request.toString().startsWith('GET ') ? document() : bytes)
      },
    },
  })
  const url = `http://127.0.0.1:${server.port}`
  const document = () => {
    const body = JSON.stringify({ issuer: url, token_endpoint: `${url}/token`, jwks_uri: url })
    return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  }
  return { identity: providerAt(url), [Symbol.dispose]: () => server.stop(true) }
}
