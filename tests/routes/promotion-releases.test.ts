import { describe, expect, test } from 'bun:test'
import { applicationFiles } from '#tests/support/application.ts'
import { KUSTOMIZATION as SIMPLE, PATCH as SIMPLE_PATCH } from '#tests/support/live-overlay.ts'
import { openPortal } from '#tests/support/portal.ts'
import {
  ask,
  auditOf,
  commitAs,
  confirm,
  fileAt,
  git,
  openShop,
  OVERLAY,
  preview,
  promote,
  state,
  warningsOf,
} from '#tests/support/promotion.ts'

const DIGEST = `sha256:${'0a'.repeat(32)}`
const OTHER = `sha256:${'1b'.repeat(32)}`

/** As somebody wrote it: comments, an order and fields of its own, and CRLF in one of the files. */
const KUSTOMIZATION = `# production of the shop
kind: Kustomization
apiVersion: kustomize.config.k8s.io/v1beta1
images:   # CI knows these lines
- name: ghcr.io/acme/sidecar
  newTag: "7"
- digest: ${DIGEST} # pinned
  newTag: "1.4.0"
  name: ghcr.io/acme/shop
configurations: [image-transformer.yaml]
resources:
- ../../base
- network-policy.yaml # ours
patches:
- path: patch-xtenant-app.yaml
- path: patches/scale.yaml
- patch: |-
    - {op: add, path: /metadata/labels, value: {tier: gold}}
  target: {kind: XTenantApp}
commonAnnotations: {on-call: shop}
`
const PATCH = `apiVersion: platform.example.org/v1alpha1
kind: XTenantApp
metadata: {name: payments-shop}
spec:
  parameters:
    ingress: {host: "shop.acme.example", class: internal}
    # two are enough at night
    replicas: 2
    resources: {requests: {cpu: 200m}, limits: {cpu: 1, memory: 1Gi}}
    futureField: [1, 2]
    database: {tier: dedicated, name: shop-main}
`.replaceAll('\n', '\r\n')
const TRANSFORMER = `images:
- {group: platform.example.org, kind: XTenantApp, path: spec/parameters/image}
`

const overlayFiles = (folder: string, kustomization = 'kustomization.yaml') => ({
  [`${OVERLAY}/${folder}/${kustomization}`]: KUSTOMIZATION,
  [`${OVERLAY}/${folder}/patch-xtenant-app.yaml`]: PATCH,
  [`${OVERLAY}/${folder}/image-transformer.yaml`]: TRANSFORMER,
})

const openProduction = (files: Readonly<Record<string, string>> = overlayFiles('prod')) =>
  openPortal({
    files: { ...applicationFiles({ lifecycle: 'production', database: true }), ...files },
  })

/** An application that is live in dev. */
const openDev = () =>
  openPortal({
    files: {
      ...applicationFiles({ lifecycle: 'development' }),
      [`${OVERLAY}/dev/kustomization.yaml`]: SIMPLE.replace('1.2', '1.0.0'),
      [`${OVERLAY}/dev/patch-xtenant-app.yaml`]: SIMPLE_PATCH.replace(
        'replicas: 2',
        'replicas: 1',
      ).replace('shop/prod', 'shop/dev'),
      [`${OVERLAY}/dev/image-transformer.yaml`]: TRANSFORMER,
    },
  })

describe('a release', () => {
  test('the second version: proposed, merged, live, and nothing to confirm', async () => {
    await using portal = await openShop()
    await promote(portal, 'development', { image: { tag: '1.0.0' }, replicas: 1 })
    await portal.merge(1)
    await confirm(portal)
    const released = await promote(portal, 'development', { image: { tag: '1.1.0' } }, 'dev')
    expect(released).toMatchObject({
      status: 201,
      body: {
        kind: 'release',
        status: 'pr_open',
        created: true,
        environment: 'dev',
        targetLifecycle: 'development',
        pullRequest: { number: 2, title: '[Promote] payments/shop → dev', state: 'open' },
        branch: 'promote/payments/shop/dev.2',
        files: [`${OVERLAY}/dev/kustomization.yaml`],
        image: { name: 'ghcr.io/acme/shop', tag: '1.1.0', digest: null, carriedFrom: null },
        secrets: null,
        warnings: [],
      },
    })
    expect(await git(portal, 'diff', '-U0', 'main', 'promote/payments/shop/dev.2')).toMatch(
      /\n-    newTag: 1\.0\.0\n\+    newTag: 1\.1\.0\n$/,
    )
    expect((await state(portal)).body).toMatchObject({
      lifecycle: 'development',
      imageTags: { dev: '1.0.0' },
      pullRequests: [{ number: 2, environment: 'dev', targetLifecycle: 'development' }],
      environments: [
        {
          name: 'dev',
          state: 'live',
          pullRequest: 2,
          image: { tag: '1.0.0' },
          proposed: {
            image: { name: 'ghcr.io/acme/shop', tag: '1.1.0', digest: null },
            config: { replicas: 1 },
            pullRequest: 2,
          },
        },
        { name: 'staging', state: 'none', proposed: null },
        {},
      ],
      next: { targetLifecycle: 'staging' },
      confirm: { available: false, targetLifecycle: 'staging', reason: 'overlay missing' },
      drift: [],
    })
    await portal.merge(2)
    expect((await state(portal)).body).toMatchObject({
      lifecycle: 'development',
      imageTags: { dev: '1.1.0' },
      pullRequests: [],
      environments: [{ state: 'live', proposed: null, pullRequest: null }, {}, {}],
    })
    // Back to an earlier version: the image as a row of the history has it.
    const image = { name: 'ghcr.io/acme/shop', tag: '1.0.0', digest: null }
    expect(await promote(portal, 'development', { image })).toMatchObject({
      status: 201,
      body: { kind: 'release', pullRequest: { number: 3 }, image: { tag: '1.0.0' } },
    })
  })

  test.each([
    ['prod', 'kustomization.yaml'],
    ['production', 'kustomization.yml'],
    ['production', 'Kustomization'],
  ])('changes %s/%s as it was written, and nothing else', async (folder, file) => {
    await using portal = await openProduction(overlayFiles(folder, file))
    const wish = {
      image: { tag: '1.10' },
      replicas: 3,
      resources: { requests: { memory: '64Mi' }, limits: { cpu: '2' } },
      ingress: { host: 'www.acme.example' },
      database: { tier: 'shared' },
    }
    const shown = await preview(portal, 'production', wish)
    expect(shown).toMatchObject({ status: 200, body: { kind: 'release', status: 'pr_open' } })
    expect(await promote(portal, 'production', wish, 'manager')).toMatchObject({
      status: 201,
      body: {
        kind: 'release',
        environment: 'production',
        files: [`${OVERLAY}/${folder}/${file}`, `${OVERLAY}/${folder}/patch-xtenant-app.yaml`],
      },
    })
    const branch = 'promote/payments/shop/production'
    const kustomization = await fileAt(portal, `${OVERLAY}/${folder}/${file}`, branch)
    const patch = await fileAt(portal, `${OVERLAY}/${folder}/patch-xtenant-app.yaml`, branch)
    expect(kustomization).toBe(
      KUSTOMIZATION.replace(`- digest: ${DIGEST} # pinned\n  newTag: "1.4.0"`, '- newTag: "1.10"'),
    )
    expect(patch).toBe(
      PATCH.replace('"shop.acme.example"', '"www.acme.example"')
        .replace('replicas: 2', 'replicas: 3')
        .replace('cpu: 200m}', 'cpu: 200m, memory: 64Mi}')
        .replace('cpu: 1,', "cpu: '2',")
        .replace('tier: dedicated', 'tier: shared'),
    )
    expect(shown.body['files']).toMatchObject([{ content: kustomization }, { content: patch }])
    const changed = await git(portal, 'diff', '--name-only', 'main', branch)
    expect(changed.trim().split('\n')).toHaveLength(2)
  })

  test('tag and digest are one value', async () => {
    await using portal = await openProduction()
    const file = `${OVERLAY}/prod/kustomization.yaml`
    const imageOf = async (image: object) => {
      const { body } = await promote(portal, 'production', { image })
      const text = await fileAt(portal, file, 'promote/payments/shop/production')
      return [body['image'], /- .*newTag.*|- digest.*\n.*|- name: ghcr.io\/acme\/shop.*/.exec(text)]
    }
    const [both] = await imageOf({ tag: '1.4.0', digest: OTHER })
    expect(both).toMatchObject({ tag: '1.4.0', digest: OTHER })
    const [tag] = await imageOf({ tag: '1.4.0', digest: null })
    expect(tag).toMatchObject({ tag: '1.4.0', digest: null })
    const [digest] = await imageOf({ digest: DIGEST })
    expect(digest).toMatchObject({ tag: null, digest: DIGEST })
    const text = await fileAt(portal, file, 'promote/payments/shop/production')
    expect(text).toBe(
      KUSTOMIZATION.replace(
        `- digest: ${DIGEST} # pinned\n  newTag: "1.4.0"\n  name: ghcr.io/acme/shop`,
        `- name: ghcr.io/acme/shop\n  digest: ${DIGEST}`,
      ),
    )
  })

  test('changes an overlay of many files', async () => {
    const others = Array.from({ length: 60 }, (_, index) => [`${OVERLAY}/prod/a-${index}.yaml`, ''])
    await using portal = await openProduction({
      ...overlayFiles('prod'),
      ...(Object.fromEntries(others) as Record<string, string>),
    })
    const wish = { image: { tag: '2' }, replicas: 9 }
    expect(await preview(portal, 'production', wish)).toMatchObject({
      status: 200,
      body: { files: [{ status: 'modified' }, { status: 'modified' }] },
    })
  })

  test('takes the image of another environment, with its digest', async () => {
    const digest = (await import('node:crypto')).createHash('sha256').update('x').digest('hex')
    const dev = KUSTOMIZATION.replaceAll(DIGEST, `sha256:${digest}`).replace('1.4.0', '2.0.0')
    await using portal = await openProduction({
      ...overlayFiles('prod'),
      [`${OVERLAY}/dev/kustomization.yaml`]: dev,
    })
    expect(await promote(portal, 'production', { image: { from: 'dev' } })).toMatchObject({
      status: 201,
      body: { image: { tag: '2.0.0', digest: `sha256:${digest}`, carriedFrom: 'dev' } },
    })
  })

  test('one pull request at a time: another release updates it, and keeps what it has', async () => {
    await using portal = await openDev()
    await promote(portal, 'development', { image: { tag: '1.1.0' } })
    expect(await promote(portal, 'development', { replicas: 4 })).toMatchObject({
      status: 200,
      body: {
        kind: 'release',
        created: false,
        updated: true,
        pullRequest: { number: 1 },
        image: { tag: '1.1.0' },
        files: [`${OVERLAY}/dev/kustomization.yaml`, `${OVERLAY}/dev/patch-xtenant-app.yaml`],
      },
    })
    expect(await promote(portal, 'development', { replicas: 4 })).toMatchObject({
      status: 200,
      body: { created: false, updated: false, pullRequest: { number: 1 } },
    })
    await commitAs(portal, 'promote/payments/shop/dev', { [`${OVERLAY}/dev/note.txt`]: 'x' })
    const shown = await preview(portal, 'development', { image: { tag: '1.2.0' } })
    const updated = await promote(portal, 'development', { image: { tag: '1.2.0' } })
    expect(warningsOf(updated)).toStrictEqual(['foreign_commits'])
    for (const { path, content } of shown.body['files'] as { path: string; content: string }[]) {
      expect(await fileAt(portal, path, 'promote/payments/shop/dev')).toBe(content)
    }
    expect((await state(portal)).body['environments']).toMatchObject([
      { state: 'live', proposed: { image: { tag: '1.2.0' }, config: { replicas: 4 } } },
      {},
      {},
    ])
  })

  test('while its promotion is open, a new tag updates that and leaves its settings', async () => {
    await using portal = await openShop()
    await promote(portal, 'development', { image: { tag: '1.0.0' }, replicas: 3 })
    expect(await promote(portal, 'development', { image: { tag: '1.0.1' } })).toMatchObject({
      status: 200,
      body: { kind: 'promotion', updated: true, pullRequest: { number: 1 } },
    })
    expect((await state(portal)).body['environments']).toMatchObject([
      { state: 'pr_open', proposed: { image: { tag: '1.0.1' }, config: { replicas: 3 } } },
      {},
      {},
    ])
  })

  test('a closed one does not block the next, nor does a confirmed environment look closed', async () => {
    await using portal = await openDev()
    await promote(portal, 'development', { image: { tag: '1.1.0' } })
    await portal.closePull(1)
    expect((await state(portal)).body['environments']).toMatchObject([
      { state: 'live', proposed: null, pullRequest: null },
      {},
      {},
    ])
    expect(await promote(portal, 'development', { image: { tag: '1.1.0' } })).toMatchObject({
      status: 201,
      body: { branch: 'promote/payments/shop/dev.2' },
    })
  })

  test('is on record as what it is', async () => {
    await using portal = await openDev()
    await promote(portal, 'development', { image: { tag: '1.1.0' } })
    expect((await auditOf(portal)).at(-1)).toMatchObject({
      action: 'promotion.propose',
      result: 'done',
      details: { target: 'development', kind: 'release', pullRequest: 1, created: true },
    })
  })
})

describe('secrets of an environment that is live', () => {
  test('alone are written without a pull request, and take effect at once', async () => {
    await using portal = await openDev()
    const shown = await preview(portal, 'development', { secrets: { KEY: 'a' } })
    expect(shown).toMatchObject({
      status: 200,
      body: { kind: 'release', status: 'secrets_written', files: [], secrets: { keys: ['KEY'] } },
    })
    expect(warningsOf(shown)).toStrictEqual(['secrets_at_once'])
    const written = await promote(portal, 'development', { secrets: { KEY: 'a' } })
    expect(written).toMatchObject({
      status: 200,
      body: {
        kind: 'release',
        status: 'secrets_written',
        created: false,
        pullRequest: null,
        branch: null,
        files: [],
        secrets: { path: 'payments/shop/dev/env', keys: ['KEY'], version: 1 },
      },
    })
    expect(warningsOf(written)).toStrictEqual(['secrets_at_once'])
    expect((await auditOf(portal)).at(-1)).toMatchObject({
      result: 'done',
      details: { kind: 'release', secretKeys: ['KEY'], secretVersion: 1 },
    })
    expect((await state(portal)).body['pullRequests']).toStrictEqual([])
    expect(await promote(portal, 'development', { secrets: { KEY: 'b' } })).toMatchObject({
      status: 409,
      body: { code: 'secret_exists' },
    })
  })

  test('leave an open release alone', async () => {
    await using portal = await openDev()
    await promote(portal, 'development', { image: { tag: '1.1.0' } })
    expect(await promote(portal, 'development', { secrets: { KEY: 'a' } })).toMatchObject({
      status: 200,
      body: { status: 'secrets_written', pullRequest: null, commit: null },
    })
  })

  test('with settings are written before the pull request', async () => {
    await using portal = await openDev()
    const wish = { secrets: { KEY: 'a' }, replicas: 5 }
    const released = await promote(portal, 'development', wish)
    expect(released).toMatchObject({
      status: 201,
      body: { status: 'pr_open', secrets: { version: 1 }, pullRequest: { number: 1 } },
    })
    expect(warningsOf(released)).toContain('secrets_at_once')
  })
})

describe('a release is refused', () => {
  test('without anything that differs', async () => {
    await using portal = await openDev()
    for (const wish of [
      {},
      { replicas: 1 },
      { image: { tag: '1.0.0' } },
      { image: { from: 'dev' } },
      { image: {} },
      { resources: { limits: {} } },
    ]) {
      expect(await promote(portal, 'development', wish)).toMatchObject({
        status: 409,
        body: { code: 'nothing_to_change' },
      })
    }
    expect((await auditOf(portal)).at(-1)).toMatchObject({ code: 'nothing_to_change' })
  })

  test('of an environment that is not live, with the steps that there are', async () => {
    await using portal = await openDev()
    expect(await promote(portal, 'production', { image: { tag: '2' } })).toMatchObject({
      status: 409,
      body: {
        code: 'invalid_transition',
        detail:
          'from development there is no step to production; possible now: development, staging, deprecated',
        allowed: ['development', 'staging', 'deprecated'],
      },
    })
    // The next one is a promotion, and the answer says so.
    expect(await promote(portal, 'staging', { image: { tag: '2' } })).toMatchObject({
      status: 201,
      body: { kind: 'promotion' },
    })
  })

  test('with an image that is none', async () => {
    await using portal = await openProduction()
    // prettier-ignore
    const images = [
      [{ tag: 'a tag' },                       'tag', 'image_tag'],
      [{ tag: '1\n' },                         'tag', 'image_tag'],
      [{ tag: '${{ github.token }}' },         'tag', 'image_tag'],
      [{ tag: '1', digest: 'sha256:12' },      'digest', 'image_digest'],
      [{ digest: DIGEST.toUpperCase() },       'digest', 'image_digest'],
      [{ tag: 3 },                             'tag', 'type'],
      [{ from: 'moon' },                       'from', 'one_of'],
      [{ from: '__proto__' },                  'from', 'one_of'],
      [{ from: 'production', tag: '1' },       'from', 'conflict'],
      [{ from: 'staging' },                    'from', 'nothing_runs'],
    ] as const
    for (const [image, name, rule] of images) {
      const { status, body } = await promote(portal, 'production', { image })
      const path = `/overlayConfig/image/${name}`
      expect([status, body['errors']]).toMatchObject([422, [{ path, rule }]])
    }
  })

  test('with requests above the limits that the overlay has, not for those that it does not name', async () => {
    await using portal = await openProduction()
    const cpu = (request: string) => ({ resources: { requests: { cpu: request } } })
    expect(await promote(portal, 'production', cpu('1001m'))).toMatchObject({
      status: 422,
      body: { errors: [{ path: '/overlayConfig/resources/requests/cpu', rule: 'at_most_limit' }] },
    })
    expect(await promote(portal, 'production', cpu('1000m'))).toMatchObject({ status: 201 })
  })

  test('never for resources that it does not name', async () => {
    const files = overlayFiles('prod')
    const path = `${OVERLAY}/prod/patch-xtenant-app.yaml` as const
    await using portal = await openProduction({
      ...files,
      [path]: PATCH.replace('cpu: 200m', 'cpu: 3'),
    })
    const wish = { image: { tag: '2' }, replicas: 5 }
    expect(await promote(portal, 'production', wish)).toMatchObject({ status: 201 })
  })

  test('with the host or the database of another overlay, and never for its own', async () => {
    const other = PATCH.replaceAll('shop', 'till').replaceAll('\r', '')
    await using portal = await openProduction({
      ...overlayFiles('prod'),
      'apps/shipping/till/overlays/dev/patch-xtenant-app.yaml': other,
    })
    expect(
      await promote(portal, 'production', { ingress: { host: 'till.acme.example' } }),
    ).toMatchObject({ status: 409, body: { code: 'host_taken' } })
    expect(
      await promote(portal, 'production', { database: { tier: 'dedicated', name: 'till-main' } }),
    ).toMatchObject({ status: 409, body: { code: 'database_taken' } })
    expect(
      await promote(portal, 'production', {
        replicas: 3,
        ingress: { host: 'shop.acme.example' },
        database: { tier: 'dedicated', name: 'shop-main' },
      }),
    ).toMatchObject({ status: 201 })
  })

  // prettier-ignore
  const OVERLAYS: readonly [string, string, (text: string) => string, object, string][] = [
    ['an image by an anchor', 'kustomization.yaml', (text) => text.replace('"1.4.0"', '&v "1.4.0"'), { image: { tag: '2' } }, 'anchor'],
    ['two entries of the image', 'kustomization.yaml', (text) => text.replace('acme/sidecar', 'acme/shop'), { image: { tag: '2' } }, 'more than one'],
    ['images that reach nothing', 'kustomization.yaml', (text) => text.replace(/configurations.*\n/, ''), { image: { tag: '2' } }, 'image-transformer.yaml'],
    ['images that reach another group', 'image-transformer.yaml', (text) => text.replace('platform.example.org', 'other.example.org'), { image: { tag: '2' } }, 'do not reach'],
    ['a patch that nothing uses', 'kustomization.yaml', (text) => text.replace('- path: patch-xtenant-app.yaml\n', ''), { replicas: 3 }, 'in its patches'],
    ['a later patch of the same value', 'kustomization.yaml', (text) => text.replace('op: add, path: /metadata/labels, value: {tier: gold}', 'op: replace, path: /spec/parameters/replicas, value: 9'), { replicas: 3 }, 'later patch'],
    ['a later patch in a folder', 'patches/scale.yaml', () => PATCH, { replicas: 3 }, 'later patch'],
    ['a patch that is no YAML', 'patch-xtenant-app.yaml', () => '{', { replicas: 3 }, 'not readable'],
    ['a patch of something else', 'patch-xtenant-app.yaml', (text) => text.replace('XTenantApp', 'Deployment'), { replicas: 3 }, 'single patch'],
    ['resources by an alias', 'patch-xtenant-app.yaml', (text) => text.replace('resources: {', 'resources: &r {').replace('futureField', 'copy: *r\r\n    futureField'), { resources: { limits: { cpu: '3' } } }, 'anchor'],
  ]
  test('where an overlay cannot be edited, or what is asked for has no effect', async () => {
    await using portal = await openProduction()
    for (const [what, file, change, wish, reason] of OVERLAYS) {
      const files: Record<string, string> = overlayFiles('prod')
      const path = `${OVERLAY}/prod/${file}`
      files[path] = change(files[path] ?? '')
      await commitAs(portal, 'main', files)
      const { status, body } = await preview(portal, 'production', wish)
      expect({ what, status, body }).toMatchObject({
        what,
        status: 409,
        body: {
          code: 'overlay_not_editable',
          detail: expect.stringContaining(reason) as unknown,
        },
      })
    }
    expect((await auditOf(portal)).at(-1)).toMatchObject({ result: 'denied' })
  })

  test('and the confirmation has nothing to do while it is open', async () => {
    await using portal = await openDev()
    await promote(portal, 'development', { replicas: 7 })
    expect(
      await ask(portal, 'POST', '/confirm', 'platform', { targetLifecycle: 'development' }),
    ).toMatchObject({
      status: 200,
      body: { status: 'already_confirmed' },
    })
  })
})
