import { dump } from 'js-yaml'

const LINE_WIDTH = 100

/**
 * A file of the gitops repository from an object. Strings that a reader of YAML 1.1, such as kustomize, takes for something else
 * (`on`, `1e3`, `0777`) are quoted.
 */
export const toYaml = (value: object): Uint8Array =>
  new TextEncoder().encode(dump(value, { lineWidth: LINE_WIDTH, noRefs: true }))
