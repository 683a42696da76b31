import { createPrivateKey } from 'node:crypto'
import type { GitHost } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import { adapterKind } from '../../../settings/adapter-kind.ts'
import { readAuthorityFile } from '../../../settings/authority-file.ts'
import { credentialOf } from '../../../settings/credential.ts'
import { absolutePath, oneOf, optional, parsedBy, text } from '../../../settings/parsers.ts'
import { setting, type SettingMistake, type SettingValues } from '../../../settings/setting.ts'
import { type ReadFile, readText } from '../../../settings/watched-files.ts'
import { isLoopback } from '../../../text/ip-address.ts'
import type { GitHostContext } from '../context.ts'
import { hostedSettings, policiesOf } from '../hosted/settings.ts'
import { openGit } from '../signing-key.ts'
import type { GitHubAccess } from './api/client.ts'

/** GitHub's own API, that of Enterprise Cloud with data residency, or of an Enterprise Server. */
function apiUrl(input: string): Result<string, string> {
  const url = URL.parse(input)
  const expected = 'must be the https URL of the API, such as https://api.github.com'
  if (url === null || url.href !== `${url.origin}${url.pathname}`) return err(expected)
  const isHere = isLoopback(url.hostname)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isHere)) return err(expected)
  const root = url.href.replace(/\/+$/, '')
  if (isHere) return ok(root)
  if (url.hostname === 'github.com' || url.hostname === 'www.github.com') {
    return err('must be https://api.github.com for github.com')
  }
  const isCloud = url.hostname === 'api.github.com' || /^api\..+\.ghe\.com$/.test(url.hostname)
  if (isCloud) return url.pathname === '/' ? ok(root) : err(`must be ${url.origin}, without a path`)
  return root.endsWith('/api/v3')
    ? ok(root)
    : err(`must end with /api/v3 for an Enterprise Server, such as ${url.origin}/api/v3`)
}

/** The pages that belong to an API: those of GitHub, of Enterprise Cloud with data residency, or of an Enterprise Server. */
export function webUrlOf(api: string): string {
  const { protocol, host, pathname } = new URL(api)
  const isServer = pathname.endsWith('/api/v3')
  return isServer ? api.slice(0, -'/api/v3'.length) : `${protocol}//${host.replace(/^api\./, '')}`
}

const installationId = parsedBy(
  (input) => (/^[1-9]\d{0,14}$/.test(input) ? Number(input) : undefined),
  'the number of the installation',
)

/** Settings of GitHub alone. */
export const gitHubSettings = {
  GITHUB_API_URL: setting({
    description:
      'URL of the API. An Enterprise Server: `https://HOST/api/v3`. Must be https, except on the loopback interface',
    example: 'https://github.example.com/api/v3',
    fallback: 'https://api.github.com',
    parse: apiUrl,
  }),
  GITHUB_TOKEN: setting({
    description: 'Token of a machine account, in place of a GitHub App',
    example: '(as GitHub shows it)',
    fallback: '',
    parse: text(/^[\x21-\x7e]{0,1024}$/, 'at most 1024 printable characters'),
  }),
  GITHUB_TOKEN_FILE: setting({
    description: 'File of the token, in place of GITHUB_TOKEN. Read again at each use',
    example: '/run/secrets/github-token',
    fallback: '',
    parse: optional(absolutePath),
  }),
  GITHUB_APP_ID: setting({
    description: 'Id or client id of the GitHub App that Portico acts as',
    example: '123456',
    fallback: '',
    parse: text(/^[A-Za-z0-9._-]{0,64}$/, 'the id or client id of the App'),
  }),
  GITHUB_APP_PRIVATE_KEY_FILE: setting({
    description: "PEM file of the App's private key, as GitHub made it. Read at the start",
    example: '/run/secrets/github-app.pem',
    fallback: '',
    parse: optional(absolutePath),
  }),
  GITHUB_INSTALLATION_ID: setting({
    description:
      "Id of the App's installation in the organization: the number at the end of its settings page's URL",
    example: '87654321',
    fallback: '',
    parse: optional(installationId),
  }),
  GITHUB_CA_FILE: setting({
    description:
      'PEM file of the certificate authorities of the Enterprise Server, in place of the public ones and for it alone. Read at the start',
    example: '/etc/portico/github-ca.pem',
    fallback: '',
    parse: optional(absolutePath),
  }),
  GITHUB_COMMIT_AUTHOR: setting({
    description:
      'Author of commits. `person`: who asked for the change. `app`: the App, whose commits GitHub signs; a trailer names the person',
    example: 'app',
    fallback: 'person',
    parse: oneOf('person', 'app'),
  }),
}

type Values = SettingValues<typeof gitHubSettings>

/** Either a token or an App with everything that belongs to it. */
export function gitHubMistakes(values: Values): readonly SettingMistake[] {
  const mistake = (variable: keyof Values, reason: string): SettingMistake => ({
    variable,
    reason,
    example: gitHubSettings[variable].example,
  })
  const missing = APP.filter((variable) => !values[variable])
  const hasText = values.GITHUB_TOKEN !== ''
  const hasFile = values.GITHUB_TOKEN_FILE !== null
  if (hasText || hasFile) {
    const token = hasText ? 'GITHUB_TOKEN' : 'GITHUB_TOKEN_FILE'
    const isTwice = hasText && hasFile
    const isBesideApp = missing.length < APP.length
    return [
      ...(isTwice ? [mistake(token, 'is set twice, also as GITHUB_TOKEN_FILE')] : []),
      ...(isBesideApp ? [mistake(token, 'is set beside a GitHub App: set one of the two')] : []),
      ...(!isBesideApp && values.GITHUB_COMMIT_AUTHOR === 'app'
        ? [mistake('GITHUB_COMMIT_AUTHOR', 'is `app` without a GitHub App')]
        : []),
    ]
  }
  return missing.length === APP.length
    ? [mistake('GITHUB_APP_ID', 'is missing, and so is GITHUB_TOKEN: set one of the two')]
    : missing.map((variable) => mistake(variable, BESIDE))
}

/** The settings of a GitHub App, which are set together or not at all. */
const APP = ['GITHUB_APP_ID', 'GITHUB_APP_PRIVATE_KEY_FILE', 'GITHUB_INSTALLATION_ID'] as const
const BESIDE = 'is missing beside the other settings of the GitHub App'

/** The credentials of settings without mistakes. The failure is a sentence for the operator. */
export function gitHubAccess(values: Values, readFile: ReadFile): Result<GitHubAccess, string> {
  const { GITHUB_APP_PRIVATE_KEY_FILE: keyFile, GITHUB_INSTALLATION_ID: installationId } = values
  if (keyFile !== null && installationId !== null) {
    const privateKey = readFile(keyFile)
    const named = `GITHUB_APP_PRIVATE_KEY_FILE: ${keyFile}`
    if (!privateKey.ok) return err(`${named} cannot be read (${privateKey.error})`)
    if (!isRsaKey(privateKey.value)) return err(`${named} has no RSA private key in PEM`)
    const app = { appId: values.GITHUB_APP_ID, privateKey: privateKey.value, installationId }
    return ok({ kind: 'app', app })
  }
  const { GITHUB_TOKEN: token, GITHUB_TOKEN_FILE: path } = values
  const given = credentialOf(token, 'GITHUB_TOKEN_FILE', path, readFile)
  return given.ok ? ok({ kind: 'token', token: given.value }) : given
}

function isRsaKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa'
  } catch {
    return false
  }
}

/** GitHub, of GitHub itself or in a company. */
export const github = adapterKind({
  settings: { ...gitHubSettings, ...hostedSettings },
  mistakes: gitHubMistakes,
  async open(values, context: GitHostContext): Promise<Result<GitHost, string>> {
    const signing = await openGit(values.GIT_SIGNING_KEY_FILE)
    if (!signing.ok) return signing
    const access = gitHubAccess(values, readText)
    if (!access.ok) return access
    const { clock, log, onRateLimit, writeTurns } = context
    const path = values.GITHUB_CA_FILE
    const authority =
      path === null ? ok(null) : readAuthorityFile('GITHUB_CA_FILE', path, readText, clock.now())
    if (!authority.ok) return authority
    const [{ createGitHubGitHost }, { createGitHubClient }] = await Promise.all([
      import('./index.ts'),
      import('./api/client.ts'),
    ])
    const client = createGitHubClient({
      apiUrl: values.GITHUB_API_URL,
      access: access.value,
      authority: authority.value,
      clock,
      log,
      onRateLimit,
      writeTurns,
    })
    const webUrl = webUrlOf(values.GITHUB_API_URL)
    return ok(
      createGitHubGitHost({
        ...context,
        ...policiesOf(values),
        client,
        pagesUrl: webUrl,
        webUrl,
        authorityFile: path,
        signing: signing.value,
        commitAuthor: values.GITHUB_COMMIT_AUTHOR,
      }),
    )
  },
})
