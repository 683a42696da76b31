import { parseAuthority } from '../crypto/certificate-authority.ts'
import { err, type Result } from '../result.ts'
import type { ReadFile } from './watched-files.ts'

/** The certificates, in PEM, of the file that a setting names. The failure is a sentence for the operator. */
export function readAuthorityFile(
  variable: string,
  path: string,
  readFile: ReadFile,
  nowMs: number,
): Result<string, string> {
  const text = readFile(path)
  if (!text.ok) return err(`${variable}: ${path} cannot be read (${text.error})`)
  const pem = parseAuthority(text.value, nowMs)
  return pem.ok ? pem : err(`${variable}: ${path} ${pem.error}`)
}
