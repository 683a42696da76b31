import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLocalGitHost } from '#src/lib/adapters/hosts/forge/index.ts'
import { component, GITOPS, TEMPLATES, template, WEBHOOK_TOKEN } from './portal.ts'
import { createRepository } from './repository.ts'

export const SESSION_KEYS = `k1:${Buffer.alloc(32, 3).toString('base64')}`
export const PORTAL_HOST = 'portal.test'

/** The embedded git host of a service, with a catalog of one component and one template. */
export async function makeGitHost(directory: string) {
  const git = createLocalGitHost({ directory, publicUrl: `http://${PORTAL_HOST}` })
  await createRepository(git, GITOPS, { 'catalog/payments-api.yaml': component('payments-api') })
  await createRepository(git, TEMPLATES, {
    'templates/service/template.yaml': template('service'),
    'templates/service/skeleton/README.md': '# {{ values.appName }}\n',
  })
  return git
}

/** The settings of a service with this data directory. */
export const settingsAt = (directory: string) => ({
  PORT: '0',
  HOST: '127.0.0.1',
  PUBLIC_URL: `http://${PORTAL_HOST}`,
  DATA_DIR: directory,
  SESSION_KEYS,
  SECRET_STORE_KEYS: `s1:${Buffer.alloc(32, 4).toString('base64')}`,
  GITOPS_REPOSITORY: 'acme/gitops',
  WEBHOOK_TOKEN,
})

/** A data directory of a service, and its settings. */
export async function openInstallation() {
  const directory = await mkdtemp(join(tmpdir(), 'portico-installation-'))
  await makeGitHost(join(directory, 'git'))
  return {
    directory,
    variables: settingsAt(directory),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  }
}
