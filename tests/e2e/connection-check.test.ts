import { expect, test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { openDatabase } from '#src/lib/adapters/database/index.ts'
import { spawnOidcPeer } from '#tests/peers/oidc-provider.ts'
import { makeAuthority } from '#tests/support/certificates.ts'
import { freePort } from '#tests/support/free-port.ts'
import { openInstallation } from '#tests/support/installation.ts'
import { runPortico } from '#tests/support/portico-process.ts'

const key = (byte: number) => Buffer.alloc(32, byte).toString('base64')
const COMMAND = ['config', 'check', '--connect']

test('config check --connect: a line for everything, status 1 while something does not work', async () => {
  await using installation = await openInstallation()
  const { directory } = installation
  const { exitCode, stdout, stderr } = await runPortico(COMMAND, installation.variables)
  expect(stderr).toBe('')
  expect(stdout.split('\n')).toStrictEqual([
    'ok    settings           People reach the portal at http://portal.test.',
    expect.stringMatching(/^FAIL {2}settings {11}PUBLIC_URL is http: /),
    'FAIL  identity provider  OIDC_ISSUER is not set: nobody can sign in.',
    `ok    database           The SQLite database and its journal can be written to ${directory}.`,
    expect.stringMatching(
      /^ok {4}git {16}Repositories are read and written with git \d+\.\d+\S*\.$/,
    ),
    'ok    git host           The catalog is the folder catalog of acme/gitops (branch main), with 1 file.',
    'ok    git host           Templates come from acme/templates (branch main).',
    `ok    git host           The git repositories can be written to ${directory}/git.`,
    'ok    secret store       The sealed secrets of applications are in the database.',
    'ok    clusters           There are no clusters: CLUSTERS_FILE is not set.',
    '',
    '2 of 10 checks failed.',
    '',
  ])
  expect(exitCode).toBe(1)
  expect(await readdir(directory)).toStrictEqual(['git'])
})

test('config check --connect: the database of a process that serves stays as it is', async () => {
  await using installation = await openInstallation()
  const file = join(installation.directory, 'portico.sqlite')
  const opened = await openDatabase(`sqlite:${file}`)
  if (!opened.ok) throw new Error(opened.error.reason)
  const { stdout } = await runPortico(COMMAND, installation.variables)
  expect(stdout).toContain(`ok    database           ${file} can be read and written.\n`)
  await opened.value.close()
  const closed = await readdir(installation.directory)
  expect((await runPortico(COMMAND, installation.variables)).stdout).toContain(
    `ok    database           ${file} can be read and written.\n`,
  )
  expect(await readdir(installation.directory)).toStrictEqual(closed)
})

test('config check --connect: passwords are in no line', async () => {
  await using installation = await openInstallation()
  const { exitCode, stdout, stderr } = await runPortico(COMMAND, {
    ...installation.variables,
    DATABASE_URL: `postgres://portico:hunter2@127.0.0.1:${freePort()}/portico`,
    OIDC_ISSUER: `http://127.0.0.1:${freePort()}`,
    OIDC_CLIENT_ID: 'portico',
    OIDC_CLIENT_SECRET: 'hunter3',
  })
  expect(exitCode).toBe(1)
  expect(stdout).toContain('FAIL  database           127.0.0.1:')
  expect(stdout + stderr).not.toMatch(/hunter\d/)
  for (const byte of [3, 4]) expect(stdout + stderr).not.toContain(key(byte))
})

test('config check --connect: wrong settings are named first, and nothing is tried', async () => {
  const { exitCode, stdout, stderr } = await runPortico(COMMAND, { PUBLIC_URL: 'portal' })
  expect([exitCode, stdout]).toStrictEqual([78, ''])
  expect(stderr).toContain('PUBLIC_URL must be')
})

const providerLines = (stdout: string): readonly string[] =>
  stdout.split('\n').filter((line) => line.includes('  identity provider  '))

test('config check --connect: a certified provider, and what it thinks of this client', async () => {
  await using installation = await openInstallation()
  await using peer = await spawnOidcPeer({ publicUrl: installation.variables.PUBLIC_URL })
  const check = async (variables: Readonly<Record<string, string>>) =>
    providerLines(
      (await runPortico(COMMAND, { ...installation.variables, ...peer.settings, ...variables }))
        .stdout,
    )
  const fine = await check({})
  expect(fine.filter((line) => line.startsWith('FAIL'))).toStrictEqual([])
  expect(fine.length).toBeGreaterThan(3)
  const wrong = await check({ OIDC_CLIENT_SECRET: 'hunter2' })
  expect(wrong.filter((line) => line.startsWith('FAIL'))).toStrictEqual([
    expect.stringContaining('refuses the client'),
  ])
  expect(wrong.join()).not.toContain('hunter2')
})

test('config check --connect: a provider whose authority is not known, and is', async () => {
  await using installation = await openInstallation()
  const authority = await makeAuthority()
  await using peer = await spawnOidcPeer({
    publicUrl: installation.variables.PUBLIC_URL,
    tls: await authority.issue(),
    ca: authority.pem,
  })
  const variables = { ...installation.variables, ...peer.settings }
  const unknown = providerLines((await runPortico(COMMAND, variables)).stdout)
  expect(unknown.filter((line) => line.startsWith('FAIL'))).toStrictEqual([
    expect.stringContaining('OIDC_CA_FILE'),
  ])
  const ca = join(installation.directory, 'ca.pem')
  await Bun.write(ca, authority.pem)
  const known = providerLines(
    (await runPortico(COMMAND, { ...variables, OIDC_CA_FILE: ca })).stdout,
  )
  expect(known.filter((line) => line.startsWith('FAIL'))).toStrictEqual([])
})
