import { expect, test } from 'bun:test'
import { settingGroups } from '#src/config/config.ts'
import { misspeltVariables } from '#src/lib/settings/misspelt.ts'

const tables = settingGroups.map(({ table }) => table)
const meantBy = (...variables: readonly string[]) =>
  misspeltVariables(Object.fromEntries(variables.map((name) => [name, 'x'])), tables).map(
    ({ meant }) => meant,
  )

test.each([
  ['OIDC_CLIENT_SECERT', 'OIDC_CLIENT_SECRET'],
  ['OIDC_CLIENTID', 'OIDC_CLIENT_ID'],
  ['SESSION_KEY', 'SESSION_KEYS'],
  ['SESSION_KEY_FILE', 'SESSION_KEYS_FILE'],
  ['UI_ORIGIN', 'UI_ORIGINS'],
  ['GITOPS_REPOSITROY', 'GITOPS_REPOSITORY'],
  ['OIDC_CLIENT_ID_FILE', 'OIDC_CLIENT_ID'],
  ['SESSION_IDL_SECOND', 'SESSION_IDLE_SECONDS'],
  ['GITEA_TOKEN_FLE', 'GITEA_TOKEN_FILE'],
  ['CATALOG_TTL', 'CATALOG_TTL_SECONDS'],
  ['DATABASE_CA', 'DATABASE_CA_FILE'],
  ['GITOPS_REPO', 'GITOPS_REPOSITORY'],
  ['OIDC_CLIENT', 'OIDC_CLIENT_ID or OIDC_CLIENT_SECRET or OIDC_CLIENT_AUTH or OIDC_CLIENT_KEY'],
  ['PORTICO_PORT', 'PORT'],
  ['PORTICO_PUBLIC_URL', 'PUBLIC_URL'],
  ['PORTICO_SESSION_KEYS_FILE', 'SESSION_KEYS_FILE'],
])('%s is meant to be %s', (variable, meant) => {
  expect(meantBy(variable)).toStrictEqual([meant])
})

test.each([
  'PATH',
  'HOSTS',
  'POST',
  'GITLAB_TOKEN',
  'GITLAB_TOKEN_FILE',
  'VAULT_PORT',
  'VAULT_PATH',
  'VAULT_CACERT',
  'VAULT_SERVICE_HOST',
  'GITHUB_SHA',
  'GITHUB_ACTOR',
  'GITHUB_RUN_ID',
  'DATABASE_USER',
  'KUBERNETES_PORT',
  'VAULT',
  'GITHUB_AP',
  'DATABASE',
  'PORTICO_COMMIT',
  'PORTICO_EXECUTABLE',
  'PORTICO_PEER_GITEA_TOKEN',
  'PORTICO_SERVICE_HOST',
  'PORTICO_SERVICE_PORT_HTTP',
  'PORTICO_PORT_80_TCP_ADDR',
])('%s belongs to another program', (variable) => {
  expect(meantBy(variable)).toStrictEqual([])
})

test('a setting that is there is no reason not to look for it', () => {
  expect(meantBy('SESSION_KEY', 'SESSION_KEYS')).toStrictEqual(['SESSION_KEYS'])
})

test('Kubernetes has variables for each Service of a namespace, also for one that is called portico', () => {
  const environment = { PORTICO_PORT: 'tcp://10.96.0.7:80', CATALOG_TTL: 'udp://10.96.0.8:53' }
  expect(misspeltVariables(environment, tables)).toStrictEqual([])
})

test('no setting is taken for another one', () => {
  const names = tables.flatMap((table) => Object.keys(table))
  for (const name of names) expect(meantBy(name)).toStrictEqual([])
})
