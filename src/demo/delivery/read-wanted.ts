import { BASE_FILE, KUSTOMIZATION_FILE, PATCH_FILE } from '../../lib/domain/gitops/overlay.ts'
import { AppName, RepositoryPath, type RepositoryId, TeamName } from '../../lib/names.ts'
import type { FileToRead, GitFailure, GitHost } from '../../lib/ports/git-host.ts'
import { ok, type Result } from '../../lib/result.ts'
import type { Wanted, WantedApplication } from '../clusters/cluster.ts'
import { wantedApplication } from './wanted-application.ts'

const FILE_MAX_BYTES = 64 * 1024
const APPLICATIONS_MAX = 500
/** The simulation keeps an object for every pod, and moves all of them on at each step. */
const PODS_MAX = 500
const APPS = RepositoryPath.of('apps')
const OVERLAY = new RegExp(`^apps/([^/]+)/([^/]+)/overlays/([^/]+)/${KUSTOMIZATION_FILE}$`)

/** Reads what the default branch of the gitops repository wants to run. */
export async function readWanted(
  gitHost: Pick<GitHost, 'head' | 'listFiles' | 'readFiles'>,
  repository: RepositoryId,
): Promise<Result<Wanted, GitFailure>> {
  const head = await gitHost.head(repository)
  if (!head.ok) return head
  const { commit } = head.value
  const listed = await gitHost.listFiles(repository, { commit, directory: APPS })
  if (!listed.ok) return listed
  const files = new Map(listed.value.files.map((file) => [String(file.path), file]))
  const places = [...files.keys()].flatMap(placeOf)
  const readPlaces = places.slice(0, APPLICATIONS_MAX)
  const paths = new Set(readPlaces.flatMap((place) => Object.values(pathsOf(place))))
  const wantedFiles: FileToRead[] = [...paths].flatMap((path) => files.get(path) ?? [])
  const texts = new Map<string, string>()
  for await (const file of gitHost.readFiles(repository, commit, wantedFiles, FILE_MAX_BYTES)) {
    if (!file.ok) return file
    const { path, bytes } = file.value
    if (bytes !== null) texts.set(path, new TextDecoder().decode(bytes))
  }
  return ok(wantedIn(places, texts))
}

type Place = Pick<WantedApplication, 'team' | 'app' | 'environment'>

function placeOf(path: string): readonly Place[] {
  const [, team, app, environment] = OVERLAY.exec(path) ?? []
  const isPlace = TeamName.parse(team) !== undefined && AppName.parse(app) !== undefined
  if (!isPlace || team === undefined || app === undefined || environment === undefined) return []
  return [{ team, app, environment }]
}

function pathsOf({ team, app, environment }: Place) {
  const folder = `apps/${team}/${app}`
  return {
    base: `${folder}/base/${BASE_FILE}`,
    kustomization: `${folder}/overlays/${environment}/${KUSTOMIZATION_FILE}`,
    patch: `${folder}/overlays/${environment}/${PATCH_FILE}`,
  }
}

function wantedIn(places: readonly Place[], texts: ReadonlyMap<string, string>): Wanted {
  const applications: WantedApplication[] = []
  const unreadable: Place[] = []
  for (const place of places) {
    const { base, kustomization, patch } = pathsOf(place)
    const application = wantedApplication(place, {
      base: texts.get(base),
      kustomization: texts.get(kustomization),
      patch: texts.get(patch),
    })
    if (application === undefined) unreadable.push(place)
    else applications.push(application)
  }
  const [few, many] = withinPods(applications)
  return { applications: few, unreadable: [...unreadable, ...many] }
}

/** Those with the most pods are left out, so that nobody can take the pods of all others. */
function withinPods(applications: readonly WantedApplication[]) {
  let pods = 0
  const left = new Set<WantedApplication>()
  for (const application of applications.toSorted((one, other) => one.replicas - other.replicas)) {
    pods += application.replicas
    if (pods > PODS_MAX) left.add(application)
  }
  return [applications.filter((each) => !left.has(each)), [...left]] as const
}
