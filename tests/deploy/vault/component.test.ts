import { beforeAll, expect, test } from 'bun:test'
import { load, loadAll } from 'js-yaml'
import type { IPodSpec } from 'kubernetes-models/v1'
import type { INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1'
import { cp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readConfig } from '#src/config/config.ts'
import { keyOf, readPage } from '#tests/support/docs-page.ts'
import { kubectl } from '#tests/support/kubectl.ts'
import { unknownFields } from '#tests/support/kubernetes-fields.ts'
import { type PodSpec, restricted } from '#tests/support/pod-security.ts'
import { folderOfTests } from '#tests/support/folder-of-tests.ts'
import { runProgram } from '#tests/support/run-program.ts'

const section = (await readPage('vault.md')).sectionOf('Login by Kubernetes')
const [, lines = ''] = /```yaml\n([\s\S]*?)```/.exec(section) ?? []

const withVault = test.skipIf(kubectl === null)

interface Objects {
  readonly all: readonly { readonly kind: string }[]
  readonly pod: IPodSpec
  readonly variables: Readonly<Record<string, string>>
  readonly policy: INetworkPolicy
}

const folder = folderOfTests()
let objects: Objects
beforeAll(async () => {
  if (kubectl === null) return
  await cp('deploy/kustomize', folder, { recursive: true })
  const mine = join(folder, 'overlays/mine')
  await cp(join(folder, 'overlays/sqlite'), mine, { recursive: true })
  // The overlay of the page, on top of the one that it is a copy of.
  const overlay = { namespace: 'portico', resources: ['../sqlite'], ...(load(lines) as object) }
  await writeFile(join(mine, 'kustomization.yaml'), JSON.stringify(overlay))
  const { exitCode, stdout, stderr } = await runProgram([kubectl, 'kustomize', mine])
  if (exitCode !== 0 || stderr !== '') throw new Error(stderr)
  const all = loadAll(stdout) as Objects['all']
  const of = (name: string) => all.find(({ kind }) => kind === name)
  const deployment = of('Deployment') as { spec: { template: { spec: IPodSpec } } } | undefined
  const settings = of('ConfigMap') as { data: Record<string, string> } | undefined
  objects = {
    all,
    pod: deployment?.spec.template.spec ?? { containers: [] },
    variables: settings?.data ?? {},
    policy: of('NetworkPolicy') as INetworkPolicy,
  }
})

withVault('the component has fields that Kubernetes knows, and keeps the pod restricted', () => {
  for (const object of objects.all) expect(unknownFields(object.kind, object)).toStrictEqual([])
  for (const [rule, keeps] of Object.entries(restricted)) {
    expect([rule, keeps(objects.pod as PodSpec)]).toStrictEqual([rule, true])
  }
  expect(objects.pod.automountServiceAccountToken).toBe(false)
})

withVault('the component makes all settings but the address', () => {
  const { VAULT_ADDR: address, ...variables } = objects.variables
  expect(address).toBe('https://vault.example.org:8200')
  const read = (from: Readonly<Record<string, string>>) =>
    readConfig(from, (path) => (path.endsWith('-keys') ? keyOf(1) : 'a-token-or-a-secret'))
  expect(read(objects.variables)).toMatchObject({ ok: true })
  const incomplete = read(variables)
  expect(incomplete.ok ? [] : incomplete.error.map(({ variable }) => variable)).toStrictEqual([
    'VAULT_ADDR',
  ])
})

withVault('the token is where the settings say, for the audience of the role', () => {
  const { pod, variables, policy } = objects
  const [container] = pod.containers
  const mount = container?.volumeMounts?.find(({ name }) => name === 'vault')
  const volume = pod.volumes?.find(({ name }) => name === 'vault')
  const token = volume?.projected?.sources?.[0]?.serviceAccountToken
  expect(variables['VAULT_JWT_FILE']).toBe(`${mount?.mountPath}/${token?.path}`)
  expect(section).toContain(`audience=${token?.audience} `)
  expect(section).toContain(`auth/kubernetes/role/${variables['VAULT_ROLE']} `)
  expect(section).toContain(`bound_service_account_names=${pod.serviceAccountName} `)
  const ports = policy.spec?.egress?.flatMap((rule) => rule.ports ?? []).map(({ port }) => port)
  expect(ports).toContain(8200)
})
