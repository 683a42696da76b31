import { statSync } from 'node:fs'
import type { Signing } from '../../git/signing.ts'
import { err, ok, type Result } from '../../result.ts'
import { absolutePath, optional } from '../../settings/parsers.ts'
import { setting } from '../../settings/setting.ts'
import { readText } from '../../settings/watched-files.ts'

/** A setting of every git host. */
export const signingSettings = {
  GIT_SIGNING_KEY_FILE: setting({
    description:
      'File of an Ed25519 key of SSH without a passphrase, as `ssh-keygen` writes it. Every commit that Portico makes with git is signed with it, by the committer that its comment names: an e-mail address, or `Name <address>`. Empty: commits are not signed',
    example: '/run/secrets/signing-key',
    fallback: '',
    parse: optional(absolutePath),
  }),
}

const READABLE_BY_OTHERS = 0o007

/** Checks the git of this machine, and reads the signing key. The failure is a sentence for the operator. */
export async function openGit(keyFile: string | null): Promise<Result<Signing | null, string>> {
  const [{ checkGit }, { parseSigningKey }] = await Promise.all([
    import('../../git/version.ts'),
    import('../../git/signing.ts'),
  ])
  const git = await checkGit()
  if (!git.ok) return git
  if (keyFile === null) return ok(null)
  const mistake = (what: string) => err(`GIT_SIGNING_KEY_FILE: ${keyFile} ${what}`)
  const text = readText(keyFile)
  if (!text.ok) return mistake(`cannot be read (${text.error})`)
  if ((statSync(keyFile).mode & READABLE_BY_OTHERS) !== 0) {
    return mistake('can be read by everybody on this machine: take that right away by chmod o=')
  }
  const key = parseSigningKey(text.value)
  return key.ok ? key : mistake(key.error)
}
