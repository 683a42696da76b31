import { createNextFlight } from '../../concurrency/next-flight.ts'
import type { EnvironmentName, ObjectId, RepositoryId } from '../../names.ts'
import type { Commit, GitFailure } from '../../ports/git-host.ts'
import { allOk, ok, type Result } from '../../result.ts'
import { repositoryOf } from '../catalog/entity-repository.ts'
import type { CatalogEntity } from '../catalog/snapshot.ts'
import { namedPerson, type Person } from '../gitops/requesters.ts'
import type { History } from './history/history.ts'
import type { PromotionDeps } from './dependencies.ts'
import type { Promotable } from './subject.ts'

/** A commit of an entity's repository. */
export interface SourceCommit {
  readonly id: ObjectId
  /** The first line of its message. */
  readonly subject: string
  /** As its author has written it. */
  readonly by: Person | null
  readonly at: number | null
  /** Its page at the git host. */
  readonly url: string
}

/** A version that can be released. */
export interface Version {
  /** The tag of its image. */
  readonly tag: string
  /** The tagged commit; `null` of a version that is known by what ran alone. */
  readonly commit: SourceCommit | null
  /** The commit or, without one, the first time that it ran, as far as that is read. */
  readonly at: number | null
  /** Environments whose overlay has it now. */
  readonly environments: readonly EnvironmentName[]
}

/** Commits of the default branch that are read for tags; a tag further back costs a reading of its own. */
const COMMITS_MAX = 300
const OTHERS_MAX = 20

/** Commits by their tags. */
type Tagged = ReadonlyMap<string, SourceCommit>

export type Versions = ReturnType<typeof createVersions>

/** An application at a commit of the gitops repository. */
export interface VersionsAt extends Pick<Promotable, 'team' | 'app' | 'application'> {
  readonly entity: CatalogEntity
  readonly commit: ObjectId
}

/** Versions of an application, from the tags of its repository and from what ran. */
export function createVersions(
  { gitHost, repository, pipeline }: PromotionDeps,
  history: Pick<History, 'images'>,
) {
  const flights = createNextFlight<Result<Tagged, GitFailure>>()

  const sourceCommit = (of: RepositoryId, { id, ...commit }: Commit): SourceCommit => ({
    id,
    subject: subjectOf(commit.message),
    by: namedPerson(commit.authorName),
    at: commit.committedAt,
    url: gitHost.pageUrl(of, { kind: 'commit', commit: id }),
  })

  async function readTagged(id: RepositoryId): Promise<Result<Tagged, GitFailure>> {
    const read = await allOk([gitHost.listTags(id), gitHost.head(id)])
    if (!read.ok) return read
    const [tags, head] = read.value
    if (tags.length === 0) return ok(new Map())
    const listed = await gitHost.listCommits(id, { of: head.commit, limit: COMMITS_MAX })
    if (!listed.ok) return listed
    const commits = new Map(listed.value.map((commit) => [commit.id, commit]))
    const others = tags.filter(({ commit }) => !commits.has(commit)).slice(-OTHERS_MAX)
    for (const { commit } of others) {
      // A tag may stand for a file or a tree.
      const read = await gitHost.listCommits(id, { of: commit, limit: 1 })
      if (read.ok && read.value[0] !== undefined) commits.set(commit, read.value[0])
    }
    return ok(
      new Map(
        tags.flatMap(({ name, commit }) => {
          const found = commits.get(commit)
          return found === undefined ? [] : [[name, sourceCommit(id, found)] as const]
        }),
      ),
    )
  }

  async function taggedOf(entity: CatalogEntity): Promise<Result<Tagged, GitFailure>> {
    const id = repositoryOf(entity, repository)
    if (id === null) return ok(new Map())
    const tagged = await flights(`${id.owner}/${id.name}`, () => readTagged(id))
    // An annotation may name a repository that is gone.
    return !tagged.ok && tagged.error.kind === 'git_not_found' ? ok(new Map()) : tagged
  }

  return {
    /** Newest first. */
    async list({
      entity,
      commit,
      ...application
    }: VersionsAt): Promise<Result<readonly Version[], GitFailure>> {
      const past = pipeline.stages.map((stage) => history.images(commit, application, stage))
      const read = await allOk([taggedOf(entity), allOk(past)])
      if (!read.ok) return read
      const [tagged, images] = read.value
      const ran = new Map<string, number | null>()
      for (const { tag, at } of images.flat()) ran.set(tag, earliest(ran.get(tag), at))
      const running = Map.groupBy(
        application.application.overlays,
        ([, { image }]) => image?.tag ?? null,
      )
      const known = new Set([...tagged.keys(), ...ran.keys(), ...running.keys()])
      const versions = [...known]
        .filter((tag) => tag !== null)
        .map((tag) => ({
          tag,
          commit: tagged.get(tag) ?? null,
          at: tagged.get(tag)?.at ?? ran.get(tag) ?? null,
          environments: (running.get(tag) ?? []).map(([{ environment }]) => environment),
        }))
      return ok(newestFirst(versions))
    },

    /**
     * Commits of the history of one version that another lacks, newest first, at most `limit`. `null`: one of them has no tag in the
     * entity's repository.
     */
    async commitsBetween(
      entity: CatalogEntity,
      of: string,
      without: string,
      limit: number,
    ): Promise<Result<readonly SourceCommit[] | null, GitFailure>> {
      const id = repositoryOf(entity, repository)
      const tagged = await taggedOf(entity)
      if (!tagged.ok) return tagged
      const [newer, older] = [tagged.value.get(of), tagged.value.get(without)]
      if (id === null || newer === undefined || older === undefined) return ok(null)
      const listed = await gitHost.listCommits(id, { of: newer.id, without: older.id, limit })
      return listed.ok ? ok(listed.value.map((commit) => sourceCommit(id, commit))) : listed
    },
  }
}

const SUBJECT_MAX_CHARACTERS = 200

/** Anybody who can push has written it: one line, and no marks that turn the direction of the text around it. */
const subjectOf = (message: string): string =>
  (message.split('\n', 1)[0] ?? '')
    .replaceAll(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '')
    .slice(0, SUBJECT_MAX_CHARACTERS)

const earliest = (one: number | null | undefined, other: number | null): number | null =>
  one === undefined || one === null ? other : other === null ? one : Math.min(one, other)

/** By their numbers where all have some, else by their times. */
function newestFirst(versions: readonly Version[]): readonly Version[] {
  const areNumbered = versions.every(({ tag }) => NUMBERED.test(tag))
  return versions.toSorted((one, other) =>
    areNumbered
      ? Bun.semver.order(numbersOf(other.tag), numbersOf(one.tag))
      : (other.at ?? 0) - (one.at ?? 0),
  )
}

/** Semantic Versioning 2.0.0, also after a `v`. `Bun.semver` throws at a number of more than 64 bits. */
const NUMBERED = /^v?\d{1,15}\.\d{1,15}\.\d{1,15}(?:[-+]|$)/
const numbersOf = (tag: string): string => tag.replace(/^v/, '')
