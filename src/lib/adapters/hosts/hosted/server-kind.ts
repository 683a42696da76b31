import type { GitHost } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import type { AdapterKind } from '../../../settings/adapter-kind.ts'
import { readAuthorityFile } from '../../../settings/authority-file.ts'
import { credentialOf } from '../../../settings/credential.ts'
import { absolutePath, optional, text } from '../../../settings/parsers.ts'
import {
  readSettings,
  setting,
  type SettingMistake,
  type SettingValues,
} from '../../../settings/setting.ts'
import { readText } from '../../../settings/watched-files.ts'
import { isLoopback } from '../../../text/ip-address.ts'
import type { GitHostContext } from '../context.ts'
import { openGit } from '../signing-key.ts'
import type { ServerOptions } from './server.ts'
import { hostedSettings, policiesOf } from './settings.ts'

interface ServerKind {
  /** The first word of its settings, such as `GITEA`. */
  readonly prefix: string
  /** The host's name in messages, such as `Gitea`. */
  readonly host: string
  /** Path of its API below its URL. */
  readonly api: string
  readonly url: { readonly description: string; readonly example: string }
  readonly token: { readonly description: string; readonly example: string }
  readonly mistakes?: (values: SettingValues<typeof hostedSettings>) => readonly SettingMistake[]
  /** Loads the adapter. */
  readonly load: () => Promise<(options: ServerOptions) => GitHost>
}

/** A server at a URL of its own that takes an access token. */
export function serverKind(kind: ServerKind): AdapterKind<GitHostContext, GitHost> {
  const own = settingsOf(kind)
  const nameOf = (name: string) => `${kind.prefix}_${name}`
  const named = Object.entries(own).map(([name, each]) => [nameOf(name), each] as const)
  return {
    settings: { ...Object.fromEntries(named), ...hostedSettings },
    read(source) {
      const values = readSettings(own, { ...source, prefix: nameOf('') })
      const policies = readSettings(hostedSettings, source)
      if (!values.ok) return err([...values.error, ...(policies.ok ? [] : policies.error)])
      if (!policies.ok) return policies
      const { TOKEN: token, TOKEN_FILE: tokenFile, URL: url, CA_FILE: authorityFile } = values.value
      const found = [...(kind.mistakes?.(policies.value) ?? [])]
      if ((token === null) === (tokenFile === null)) {
        const reason = token === null ? 'is missing, and so is' : 'is set twice, also as'
        const { example } = kind.token
        const variable = nameOf('TOKEN')
        found.unshift({ variable, reason: `${reason} ${nameOf('TOKEN_FILE')}`, example })
      }
      if (found.length > 0) return err(found)
      return ok(async (context) => {
        const signing = await openGit(policies.value.GIT_SIGNING_KEY_FILE)
        if (!signing.ok) return signing
        const credential = credentialOf(token, nameOf('TOKEN_FILE'), tokenFile, readText)
        if (!credential.ok) return credential
        const now = context.clock.now()
        const authority =
          authorityFile === null
            ? ok(null)
            : readAuthorityFile(nameOf('CA_FILE'), authorityFile, readText, now)
        if (!authority.ok) return authority
        const create = await kind.load()
        return ok(
          create({
            ...context,
            ...policiesOf(policies.value),
            url,
            token: credential.value,
            authority: authority.value,
            authorityFile,
            signing: signing.value,
          }),
        )
      })
    },
  }
}

const settingsOf = ({ prefix, host, api, url, token }: ServerKind) => ({
  URL: setting({ ...url, parse: (input) => serverUrl(input, api) }),
  TOKEN: setting({
    ...token,
    fallback: '',
    parse: optional(text(/^[\x21-\x7e]{1,1024}$/, 'an access token')),
  }),
  TOKEN_FILE: setting({
    description: `File of the token, instead of \`${prefix}_TOKEN\`. It is read again after a change`,
    example: `/run/secrets/${prefix.toLowerCase()}-token`,
    fallback: '',
    parse: optional(absolutePath),
  }),
  CA_FILE: setting({
    description: `Certificates, in PEM, that ${host}’s certificate is checked with, instead of the system’s`,
    example: `/etc/portico/${prefix.toLowerCase()}-ca.pem`,
    fallback: '',
    parse: optional(absolutePath),
  }),
})

/** The URL of a server, with the path that it is served below, and without a slash at its end. */
function serverUrl(input: string, api: string): Result<string, string> {
  const url = URL.parse(input)
  const isBase =
    url !== null &&
    (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) &&
    url.href === `${url.origin}${url.pathname}` &&
    !url.pathname.includes(api)
  return isBase
    ? ok(url.href.replace(/\/+$/, ''))
    : err(`must be the https URL of the pages, without ${api}, user name and query`)
}
