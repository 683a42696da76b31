import {
  type AppName,
  type ObjectId,
  type RepositoryId,
  RepositoryPath,
  type TeamName,
} from '../../names.ts'
import type { FileListing, GitFailure, GitHost } from '../../ports/git-host.ts'
import { ok, type Result } from '../../result.ts'
import { appPath } from '../gitops/layout.ts'
import {
  type Base,
  type Image,
  KUSTOMIZATION_FILE,
  OVERLAY_BYTES_MAX,
  type OverlayConfig,
  PATCH_FILE,
} from '../gitops/overlay.ts'
import { baseOf, configIn, imageIn } from './manifests.ts'
import type { Pipeline, Stage } from './pipeline.ts'
import { readTexts, type Texts } from './texts.ts'

const REMEMBERED_MAX = 2_000

/** An application as one commit has it. */
export interface Application {
  /** Whether its folder is there at all. */
  readonly exists: boolean
  /** `null`: there is none that an overlay could be put on. */
  readonly base: Base | null
  /** Those that are there. */
  readonly overlays: ReadonlyMap<Stage, PlacedOverlay>
}

export interface PlacedOverlay {
  readonly folder: string
  readonly image: Image | null
  readonly config: OverlayConfig
}

export interface Applications {
  readonly read: (
    commit: ObjectId,
    team: TeamName,
    app: AppName,
  ) => Promise<Result<Application, GitFailure>>
}

/** Neither a commit nor a tree ever changes: what was read of one is right for ever. */
export function createApplications(
  gitHost: Pick<GitHost, 'listFiles' | 'readFiles'>,
  repository: RepositoryId,
  pipeline: Pipeline,
): Applications {
  const ofCommits = new Map<string, Application>()
  const ofTrees = new Map<ObjectId, Application>()

  async function read(
    commit: ObjectId,
    directory: RepositoryPath,
  ): Promise<Result<Application, GitFailure>> {
    const listed = await gitHost.listFiles(repository, { commit, directory })
    if (!listed.ok) return listed
    const { tree, files } = listed.value
    if (tree === null) return ok(ABSENT)
    const remembered = ofTrees.get(tree)
    if (remembered !== undefined) return ok(remembered)
    const wanted = wantedOf(files, directory)
    const texts = await readTexts(gitHost, repository, commit, wanted, OVERLAY_BYTES_MAX)
    if (!texts.ok) return texts
    const application = applicationOf(texts.value, directory, pipeline)
    remember(ofTrees, tree, application)
    return ok(application)
  }

  return {
    async read(commit, team, app) {
      const directory = appPath(team, app)
      const key = `${commit} ${directory}`
      const remembered = ofCommits.get(key)
      if (remembered !== undefined) return ok(remembered)
      const found = await read(commit, directory)
      if (found.ok) remember(ofCommits, key, found.value)
      return found
    },
  }
}

function remember<Key>(known: Map<Key, Application>, key: Key, application: Application): void {
  const [oldest] = known.keys()
  if (known.size >= REMEMBERED_MAX && oldest !== undefined) known.delete(oldest)
  known.set(key, application)
}

/** Of what has no folder. */
export const ABSENT: Application = { exists: false, base: null, overlays: new Map() }

/** What kustomize takes for one; we write the first. */
const KUSTOMIZATION_NAMES = [KUSTOMIZATION_FILE, 'kustomization.yml', 'Kustomization']

const WANTED =
  /^\/(?:base\/(?:xtenant-app|kustomization)|overlays\/[^/]+\/patch-xtenant-app)\.yaml$|^\/overlays\/[^/]+\/(?:kustomization\.ya?ml|Kustomization)$/

const wantedOf = (files: FileListing['files'], directory: RepositoryPath) =>
  files.filter(({ path }) => WANTED.test(path.slice(directory.length)))

function applicationOf(texts: Texts, directory: RepositoryPath, { stages }: Pipeline): Application {
  const text = (name: string) => texts.get(RepositoryPath.of(`${directory}/${name}`))
  const base = baseOf(text('base/xtenant-app.yaml'), text(`base/${KUSTOMIZATION_FILE}`))
  const overlays = new Map<Stage, PlacedOverlay>()
  for (const stage of stages) {
    for (const folder of stage.folders) {
      const kustomization = KUSTOMIZATION_NAMES.map((name) =>
        text(`overlays/${folder}/${name}`),
      ).find((found) => found !== undefined)
      if (kustomization === undefined || overlays.has(stage)) continue
      overlays.set(stage, {
        folder,
        image: base && imageIn(kustomization, base.image),
        config: configIn(text(`overlays/${folder}/${PATCH_FILE}`)),
      })
    }
  }
  return { exists: true, base, overlays }
}
