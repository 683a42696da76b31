import { LRUCache } from 'lru-cache'
import { createLru } from '../../concurrency/lru.ts'
import { createSingleFlight } from '../../concurrency/single-flight.ts'
import type { ObjectId, RepositoryPath } from '../../names.ts'
import type {
  DirectoryAtCommit,
  FileListing,
  GitFailure,
  GitHost,
  MergeSides,
} from '../../ports/git-host.ts'
import { err, ok, type Result } from '../../result.ts'
import { type ApplicationId, appPath } from '../gitops/application.ts'
import {
  type Base,
  BASE_FILE,
  KUSTOMIZATION_NAMES,
  OVERLAY_BYTES_MAX,
  PATCH_FILE,
} from '../gitops/overlay.ts'
import { BASE_FILES_MAX, baseOf, overlayIn, type OverlayValues } from './overlay/manifests.ts'
import type { Pipeline, Stage } from './pipeline.ts'
import { readTexts, type Texts, type TextSource } from './texts.ts'

const APPLICATIONS_MAX = 2_000
/** Ids of the folders of applications at commits. */
const TREES_MAX = 20_000
const ABSENT_TREE = 'absent'
/** Heads of branches whose merges are kept for an application: CI may push to one of them every minute. */
const MERGES_MAX = 20
/** Characters of the texts of all applications in memory: a value keeps the whole text that it was cut from. */
const CHARACTERS_KEPT_MAX = 32 * 1024 * 1024

/** An application at one commit. */
export interface Application {
  /** Whether the application has a folder. */
  readonly exists: boolean
  /** The error says why no overlay can build on the base. */
  readonly base: Result<Base, string>
  readonly overlays: ReadonlyMap<Stage, ExistingOverlay>
}

export interface ExistingOverlay extends OverlayValues {
  readonly folder: string
  /** File name of its kustomization. */
  readonly kustomization: string
}

export type Applications = ReturnType<typeof createApplications>

/** Reads applications. They are kept by the tree of their folder, which many commits share and which never changes. */
export function createApplications(
  source: TextSource & { readonly gitHost: Pick<GitHost, 'merge'> },
  pipeline: Pipeline,
) {
  const { gitHost, repository } = source
  const kept = new LRUCache<ObjectId, Application>({
    max: APPLICATIONS_MAX,
    maxSize: CHARACTERS_KEPT_MAX,
  })
  const trees = createLru<string, ObjectId | typeof ABSENT_TREE>(TREES_MAX)
  const flights = createSingleFlight<Result<Application, GitFailure>>()
  const clean = new WeakMap<Application, LRUCache<ObjectId, Application>>()

  async function treeAt(at: DirectoryAtCommit) {
    const key = `${at.tree ?? at.commit} ${at.directory}`
    const known = trees.get(key)
    if (known !== undefined) return ok(known)
    const top = await gitHost.listFiles(repository, { ...at, filesMax: 0 })
    if (!top.ok) return top
    const tree = top.value.tree ?? ABSENT_TREE
    trees.set(key, tree)
    return ok(tree)
  }

  /** At a commit, or in the tree of a merge with it. */
  async function read(
    commitOrMerge: Pick<DirectoryAtCommit, 'commit' | 'tree'>,
    { team, app }: ApplicationId,
  ): Promise<Result<Application, GitFailure>> {
    const at = { ...commitOrMerge, directory: appPath(team, app) }
    const tree = await treeAt(at)
    if (!tree.ok) return tree
    if (tree.value === ABSENT_TREE) return ok(ABSENT)
    const known = kept.get(tree.value)
    if (known !== undefined) return ok(known)
    return flights.join(tree.value, async () => {
      const listed = await gitHost.listFiles(repository, at)
      if (!listed.ok) return listed
      const { tree, files } = listed.value
      const toRead = filesToRead(files, at.directory, pipeline)
      const texts = await readTexts(source, at.commit, toRead, OVERLAY_BYTES_MAX)
      if (!texts.ok) return texts
      const characters = texts.value.values().reduce((sum, { length }) => sum + length, 0)
      const application = applicationOf(texts.value, at.directory, pipeline)
      if (tree !== null) kept.set(tree, application, { size: characters + 1 })
      return ok(application)
    })
  }

  return {
    /** At a commit. */
    read: (commit: ObjectId, application: ApplicationId) => read({ commit }, application),

    /**
     * As a merge of an open branch into the default branch would leave it; of a branch that conflicts, as the branch has it. Kept for as
     * long as the default branch has the same application: other pushes do not change the outcome, unless they conflict themselves.
     */
    async merged(
      sides: MergeSides,
      { application: onMain, ...id }: ApplicationId & { readonly application: Application },
    ): Promise<Result<Application, GitFailure>> {
      const { ours, theirs } = sides
      const known = clean.get(onMain)?.get(theirs)
      if (known !== undefined) return ok(known)
      const merged = await gitHost.merge(repository, sides)
      if (!merged.ok) return merged
      if (merged.value.kind === 'conflicting') return read({ commit: theirs }, id)
      const after = await read({ commit: ours, tree: merged.value.tree }, id)
      if (!after.ok) return after
      const ofMain = clean.get(onMain) ?? createLru<ObjectId, Application>(MERGES_MAX)
      clean.set(onMain, ofMain.set(theirs, after.value))
      return after
    },
  }
}

/** An application without a folder. */
export const ABSENT: Application = {
  exists: false,
  base: err('there is no application'),
  overlays: new Map(),
}

const APPLICATION_FILE =
  /^\/(?:base\/(?:[^/]+\.ya?ml|Kustomization)|overlays\/[^/]+\/(?:patch-xtenant-app\.yaml|kustomization\.ya?ml|Kustomization))$/

/** `rest`: the path below the application's folder, with a slash before it. */
export const isApplicationFile = (rest: string): boolean => APPLICATION_FILE.test(rest)

/** The files of overlays of the environments alone, and not all manifests of a base: a folder may have any number of others. */
function filesToRead(files: FileListing['files'], directory: RepositoryPath, { stages }: Pipeline) {
  const folders = new Set(stages.flatMap((stage) => [...stage.folders]))
  const isPlain = files.every(({ path }) => path !== `${directory}/base/${BASE_FILE}`)
  let manifests = 0
  return files.filter(({ path }) => {
    const rest = path.slice(directory.length)
    const [, part, name = ''] = rest.split('/')
    if (!isApplicationFile(rest)) return false
    if (part === 'overlays') return folders.has(name)
    if (name === BASE_FILE || KUSTOMIZATION_NAMES.includes(name)) return true
    return isPlain && ++manifests <= BASE_FILES_MAX
  })
}

/** The kustomizations of the environments that have one. */
export const overlaysIn = (texts: Texts, directory: RepositoryPath, { stages }: Pipeline) =>
  stages.flatMap((stage) => {
    const found = findKustomization(texts, `${directory}/overlays`, stage.folders)
    return found === undefined ? [] : [{ stage, ...found }]
  })

/** The first of the folders that has one. */
function findKustomization(texts: Texts, directory: string, folders: readonly string[]) {
  // Paths of files that are looked for, and may have any name.
  const byPath: ReadonlyMap<string, string> = texts
  for (const folder of folders) {
    for (const kustomization of KUSTOMIZATION_NAMES) {
      const text = byPath.get(`${directory}/${folder}/${kustomization}`)
      if (text !== undefined) return { folder, kustomization, text }
    }
  }
  return undefined
}

/** Reads an application from the texts of its files. */
export function applicationOf(
  texts: Texts,
  directory: RepositoryPath,
  pipeline: Pipeline,
): Application {
  const byPath: ReadonlyMap<string, string> = texts
  const textOf = (name: string) => byPath.get(`${directory}/${name}`)
  const base = baseOf(
    textOf(`base/${BASE_FILE}`),
    findKustomization(texts, directory, ['base'])?.text,
    (name) => textOf(`base/${name}`),
  )
  const known = base.ok ? base.value : undefined
  const overlays = overlaysIn(texts, directory, pipeline).map(
    ({ stage, folder, kustomization, text }): [Stage, ExistingOverlay] => {
      const patch = textOf(`overlays/${folder}/${PATCH_FILE}`)
      return [stage, { folder, kustomization, ...overlayIn(known, text, patch) }]
    },
  )
  return { exists: true, base, overlays: new Map(overlays) }
}
