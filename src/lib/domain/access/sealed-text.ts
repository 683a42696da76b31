import type { Keyring } from '../../crypto/keyring.ts'
import type { Clock } from '../../ports/clock.ts'
import { parseJson } from '../../text/json.ts'

/** Values as texts for cookies and forms, each sealed for a context. They open until `expiresAt`, in milliseconds since the Unix epoch. */
export function createSealedTexts<Content extends { readonly expiresAt: number }>(
  keyring: Keyring,
  clock: Clock,
  isContent: (value: unknown) => value is Content,
) {
  return {
    seal(context: string, content: Content): string {
      const bytes = new TextEncoder().encode(JSON.stringify(content))
      const { keyId, sealed } = keyring.seal(context, bytes)
      return `${keyId}.${Buffer.from(sealed).toString('base64url')}`
    },

    /** `undefined` for a text of another context, a changed or an old one. */
    open(context: string, text: string): Content | undefined {
      const [keyId = '', sealed = ''] = text.split('.')
      const bytes = keyring.open(context, { keyId, sealed: Buffer.from(sealed, 'base64url') })
      const content = bytes && parseJson(new TextDecoder().decode(bytes))
      return isContent(content) && clock.now() < content.expiresAt ? content : undefined
    },
  }
}
