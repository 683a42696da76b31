import { applicationFiles } from './application.ts'
import { openPortal } from './portal.ts'
import { OVERLAY } from './promotion.ts'

/** An overlay of the application `shop` that somebody wrote, in the folder `prod`. */
export const KUSTOMIZATION = `resources: [../../base]
configurations: [image-transformer.yaml]
patches:
- path: patch-xtenant-app.yaml
images:
- name: ghcr.io/acme/shop
  newTag: "1.2"
`
export const PATCH = `apiVersion: platform.example.org/v1alpha1
kind: XTenantApp
metadata: {name: payments-shop}
spec:
  parameters:
    replicas: 2
    externalSecrets: {path: payments/shop/prod/env}
`
export const KUSTOMIZATION_PATH = `${OVERLAY}/prod/kustomization.yaml`
export const PATCH_PATH = `${OVERLAY}/prod/patch-xtenant-app.yaml`

export const liveFiles = (organisation = 'acme') => ({
  ...applicationFiles({ lifecycle: 'production', owner: `group:${organisation}/payments` }),
  [KUSTOMIZATION_PATH]: KUSTOMIZATION,
  [PATCH_PATH]: PATCH,
  [`${OVERLAY}/prod/image-transformer.yaml`]: `images:
- {group: platform.example.org, kind: XTenantApp, path: spec/parameters/image}
`,
})

/** A portal whose application `shop` is live in production. */
export const openLive = () => openPortal({ files: liveFiles() })
