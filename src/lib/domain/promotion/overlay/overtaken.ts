import type { RepositoryPath } from '../../../names.ts'
import { valueAt } from '../../../yaml/value-at.ts'
import type { Scalar } from '../../../yaml/scalar-style.ts'
import type { Image } from '../../gitops/overlay.ts'
import { settingsOf } from './edit.ts'
import { imageIn, overlayConfig } from './manifests.ts'
import { overlayPaths, type OverlaySpec } from './render.ts'
import type { Texts } from '../texts.ts'

/** A merge of an open pull request would lose the value: it is the one where the pull request began, and the default branch has another. */
export interface PullRequestOutdated {
  readonly kind: 'pr_outdated'
  readonly pullRequest: number
  readonly path: RepositoryPath
}

/** A value in three texts. `undefined` where a text does not have it. */
interface Value {
  readonly path: RepositoryPath
  readonly asked: string
  /** In the files where the open pull request began. */
  readonly began: string | undefined
  /** On the default branch. */
  readonly now: string | undefined
}

/** The values of a release that the default branch changed since its open pull request began. */
function changedSince(spec: OverlaySpec, began: Texts, onMain: Texts): readonly Value[] {
  const { base, image, config } = spec
  const [kustomization, patch] = overlayPaths(spec)
  const values: Value[] = []
  if (kustomization !== undefined && image !== null) {
    const imageOf = (texts: Texts) => textOf(imageIn(texts.get(kustomization) ?? '', base.image))
    const at = { path: kustomization, asked: textOf(image) ?? '' }
    values.push({ ...at, began: imageOf(began), now: imageOf(onMain) })
  }
  for (const [setting, asked] of settingsOf(config, base)) {
    const path = patch ?? kustomization
    if (path === undefined || kustomization === undefined) continue
    const valueOf = (texts: Texts) => {
      const config = overlayConfig(base, texts.get(kustomization), texts.get(path))
      const value = valueAt(config, setting)
      return isPlain(value) ? `${value}` : undefined
    }
    values.push({ path, asked: String(asked), began: valueOf(began), now: valueOf(onMain) })
  }
  return values.filter((value) => value.began !== value.now && value.asked !== value.now)
}

const isPlain = (value: unknown): value is Scalar =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

const textOf = (image: Image | null): string | undefined =>
  image === null ? undefined : JSON.stringify([image.tag, image.digest])

export interface Overtaken {
  /** The file of a value that a merge would lose. */
  readonly lost: RepositoryPath | undefined
  /** Whether both sides change a value, each to another one. */
  readonly isConflicting: boolean
}

/** Compares a release with the changes of the default branch since its open pull request began. */
export function overtaken(spec: OverlaySpec): Overtaken {
  const { live } = spec
  const changed =
    live === null || live.began === null ? [] : changedSince(spec, live.began, live.texts)
  return {
    lost: changed.find((value) => value.asked === value.began)?.path,
    isConflicting: changed.some((value) => value.asked !== value.began),
  }
}
