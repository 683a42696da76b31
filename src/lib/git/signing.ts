import { createHash, createPrivateKey, type KeyObject, sign } from 'node:crypto'
import type { ObjectId } from '../names.ts'
import type { Author, GitAnswer } from '../ports/git-host.ts'
import { err, ok, type Result } from '../result.ts'
import { gitOutput, gitText } from './git.ts'
import { idFrom } from './objects.ts'

/** Signs commits, and is their committer: hosts look for the key at the account with the committer's address. */
export interface Signing {
  readonly committer: Author
  /** An armored SSH signature of git's namespace (OpenSSH's `PROTOCOL.sshsig`). */
  sign(payload: Uint8Array): string
}

/** The same commit with its signature and committer, as a new object. No ref moves. */
export async function signCommit(
  directory: string,
  commit: ObjectId,
  signing: Signing | null,
): GitAnswer<ObjectId> {
  if (signing === null) return ok(commit)
  const read = await gitOutput(directory, ['cat-file', 'commit', commit])
  if (!read.ok) return read
  const { name, email } = signing.committer
  const raw = read.value.stdout.toString('utf8')
  const text = raw.replace(/^committer .*> /m, () => `committer ${name} <${email}> `)
  const headerEnd = text.indexOf('\n\n')
  const signature = signing.sign(Buffer.from(text)).replaceAll('\n', '\n ')
  const signed = `${text.slice(0, headerEnd)}\ngpgsig ${signature}${text.slice(headerEnd)}`
  const args = ['hash-object', '-t', 'commit', '-w', '--stdin']
  return idFrom(await gitText(directory, args, { input: new Blob([signed]) }))
}

const KEY =
  /^-----BEGIN OPENSSH PRIVATE KEY-----\s([A-Za-z0-9+/=\s]+)-----END OPENSSH PRIVATE KEY-----\s*$/
const MAGIC = 'openssh-key-v1\0'
const TYPE = 'ssh-ed25519'
const COMMENT = /^(?:([^<>\p{Cc}]{1,100}) <)?([^<>\s\p{Cc}]{1,100}@[^<>\s\p{Cc}]{1,150})>?$/u
const LINE_LENGTH = 70

/**
 * Reads the file of an Ed25519 key as `ssh-keygen` writes it (OpenSSH's `PROTOCOL.key`). The failure is a phrase for the operator that
 * quotes nothing of the file.
 */
export function parseSigningKey(text: string): Result<Signing, string> {
  const none = err('is no private key of OpenSSH')
  const bytes = Buffer.from(KEY.exec(text)?.[1] ?? '', 'base64')
  if (bytes.toString('latin1', 0, MAGIC.length) !== MAGIC) return none
  try {
    const file = fieldsOf(bytes, MAGIC.length)
    const [cipher] = [file.next(), file.next(), file.next()]
    if (cipher?.toString() !== 'none') return err('has a passphrase')
    file.skip(4)
    const publicKey = file.next()
    const secret = fieldsOf(file.next(), 8)
    if (secret.next().toString() !== TYPE) return err('is no Ed25519 key')
    const [x, pair, comment] = [secret.next(), secret.next(), secret.next().toString()]
    const d = pair.subarray(0, pair.length / 2).toString('base64url')
    const jwk = { kty: 'OKP', crv: 'Ed25519', d, x: x.toString('base64url') }
    const key = createPrivateKey({ key: jwk, format: 'jwk' })
    const [, name = 'Portico', email] = COMMENT.exec(comment.trim()) ?? []
    return email === undefined
      ? err('has a comment that is no e-mail address: set that of the committer by ssh-keygen -c')
      : ok({ committer: { name, email }, sign: (payload) => signatureOf(payload, key, publicKey) })
  } catch {
    return none
  }
}

/** Fields of SSH, each with its length before it. Throws at the end of the bytes. */
function fieldsOf(bytes: Buffer, from: number) {
  let at = from
  return {
    skip: (length: number) => void (at += length),
    next(): Buffer {
      const start = at + 4
      at = start + bytes.readUInt32BE(at)
      if (at > bytes.length) throw new RangeError('a field is longer than the file')
      return bytes.subarray(start, at)
    },
  }
}

function field(content: string | Uint8Array): Buffer {
  const bytes = Buffer.from(content)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}

function signatureOf(payload: Uint8Array, key: KeyObject, publicKey: Uint8Array): string {
  const kind = [field('git'), field(''), field('sha512')]
  const digest = createHash('sha512').update(payload).digest()
  const signed = sign(null, Buffer.concat([Buffer.from('SSHSIG'), ...kind, field(digest)]), key)
  const signature = Buffer.concat([field(TYPE), field(signed)])
  const head = Buffer.from('SSHSIG\0\0\0\x01')
  const all = Buffer.concat([head, field(publicKey), ...kind, field(signature)]).toString('base64')
  const lines = all.match(new RegExp(`.{1,${LINE_LENGTH}}`, 'g')) ?? []
  return ['-----BEGIN SSH SIGNATURE-----', ...lines, '-----END SSH SIGNATURE-----'].join('\n')
}
