import type { WrittenFile } from '../../ports/git-host.ts'
import { posix } from 'node:path'
import { readYaml } from '../../yaml/read.ts'

/** Allowed references of a kustomization: paths below its own folder. */
const LOCAL = /^(?!\/)(?!.*(?:^|\/)\.\.(?:\/|$))[A-Za-z0-9._/-]+$/
const REFERENCES = ['resources', 'bases', 'components', 'generators', 'transformers'] as const

/** The first fault of a template's manifests: no YAML after substitution, or a reference to something else than its own files. */
export function manifestFault(files: readonly WrittenFile[]): string | undefined {
  const paths = files.map(({ path }) => path)
  for (const { path, bytes } of files) {
    if (!/\.ya?ml$/.test(path)) continue
    const reading = readYaml(new TextDecoder().decode(bytes))
    if (!reading.ok) return 'a manifest is not readable as YAML after substitution'
    if (!path.endsWith('/kustomization.yaml')) continue
    const folder = posix.dirname(path)
    for (const { value } of reading.value.documents) {
      if (!isLocal(value, (name) => isThere(posix.join(folder, name), paths))) {
        return 'a kustomization refers to something outside its folder'
      }
    }
  }
  return undefined
}

/** For kustomize `github.com/acme/other` is a repository if there is no such folder. */
const isThere = (place: string, paths: readonly string[]): boolean =>
  paths.some((path) => path === place || path.startsWith(place.endsWith('/') ? place : `${place}/`))

const isLocal = (kustomization: unknown, isOwn: (name: string) => boolean): boolean =>
  typeof kustomization === 'object' &&
  kustomization !== null &&
  !('helmCharts' in kustomization) &&
  Object.entries(kustomization).every(
    ([key, value]) =>
      !REFERENCES.some((reference) => reference === key) ||
      (Array.isArray(value) &&
        value.every((item) => typeof item === 'string' && LOCAL.test(item) && isOwn(item))),
  )
