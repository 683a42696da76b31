import { openCredentials } from './credentials.ts'
import { usage } from './failure.ts'
import { currentCredential } from './tokens.ts'

/** Answers git as a credential helper (gitcredentials(7)), for portals of a login alone: whatever git asks for another address gets no answer. */
export async function credential(operation: string): Promise<void> {
  if (!['get', 'store', 'erase'].includes(operation)) {
    throw usage('the operation must be get, store or erase')
  }
  const asked = new Map(
    (await Bun.stdin.text()).split('\n').map((line) => {
      const at = line.indexOf('=')
      return [line.slice(0, at), line.slice(at + 1)] as const
    }),
  )
  const credentials = openCredentials(process.env)
  // Character by character: what a parser of URLs makes equal is another address to git.
  const address = `${asked.get('protocol')}://${asked.get('host')}`
  const portal = credentials.portals().find((known) => known === address)
  if (portal === undefined) return
  if (operation === 'get') {
    const { accessToken, expiresAt } = await currentCredential(portal, credentials)
    console.log(`username=portico\npassword=${accessToken}`)
    console.log(`password_expiry_utc=${Math.floor(expiresAt / 1000)}`)
  }
  if (operation === 'erase') {
    // The portal refused it: the next question renews it, or says that the sign-in has ended.
    await credentials.alone(async () => {
      const held = await credentials.read(portal)
      if (held !== undefined && held.accessToken === asked.get('password')) {
        await credentials.write(portal, { ...held, expiresAt: 0 })
      }
    })
  }
}
