import { dump } from 'js-yaml'

const LINE_WIDTH = 100

/**
 * A file of the gitops repository, from an object and never from text. Whatever a reader of YAML 1.1 could take for something
 * else than a string (`on`, `1e3`, `0777`) is quoted: kustomize is such a reader.
 */
export const toYaml = (value: object): Uint8Array =>
  new TextEncoder().encode(dump(value, { lineWidth: LINE_WIDTH, noRefs: true }))
