import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'bun:test'
import { writeKubeconfig } from '#src/demo/clusters/kubeconfig.ts'
import { openFolder } from '#tests/support/open-folder.ts'

test('a kubeconfig is for its owner, and names people and clusters', async () => {
  await using folder = await openFolder()
  const path = join(folder.path, 'kubeconfig')
  const context = (person: string, cluster: string) => ({
    person,
    cluster,
    token: `${person}-token`,
    namespace: 'payments-dev',
  })
  writeKubeconfig(path, {
    clusters: [{ id: 'dev-east', url: 'https://127.0.0.1:1234', authority: 'PEM' }],
    contexts: [context('dev', 'dev-east'), context('platform', 'dev-east')],
  })
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect(await readdir(folder.path)).toStrictEqual(['kubeconfig'])
  expect(JSON.parse(await readFile(path, 'utf8'))).toStrictEqual({
    apiVersion: 'v1',
    kind: 'Config',
    preferences: {},
    clusters: [
      {
        name: 'dev-east',
        cluster: { server: 'https://127.0.0.1:1234', 'certificate-authority-data': 'UEVN' },
      },
    ],
    users: [
      { name: 'dev@dev-east', user: { token: 'dev-token' } },
      { name: 'platform@dev-east', user: { token: 'platform-token' } },
    ],
    contexts: [
      {
        name: 'dev@dev-east',
        context: { cluster: 'dev-east', user: 'dev@dev-east', namespace: 'payments-dev' },
      },
      {
        name: 'platform@dev-east',
        context: { cluster: 'dev-east', user: 'platform@dev-east', namespace: 'payments-dev' },
      },
    ],
    'current-context': 'dev@dev-east',
  })
})
