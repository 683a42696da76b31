import { Label, type ObjectId, type RepositoryId, RepositoryPath } from '../../names.ts'
import type { Clock } from '../../ports/clock.ts'
import type { FileListing, GitFailure, GitHost, ListedFile } from '../../ports/git-host.ts'
import { err, ok, type Result } from '../../result.ts'
import { createTtlCache } from '../../concurrency/ttl-cache.ts'
import { decodeUtf8 } from '../../text/utf8.ts'
import { byPosition, type CatalogProblem } from '../catalog/problem.ts'
import { parseTemplate, type Template, type TemplateFault } from './template.ts'

const TEMPLATE_FILE_BYTES_MAX = 64 * 1024
const TEMPLATES_MAX = 500
const TEMPLATE_FILES_MAX = 1_000
/** Files of all templates together. A template that loses files by it is a problem of its own. */
const FILES_MAX = 50_000
const TTL_MS = 10_000
const REFRESH_AFTER_MS = 2_000

/** The templates at one commit of their repository. */
export interface TemplateList {
  readonly commit: ObjectId
  readonly tree: ObjectId | null
  /** By id. */
  readonly templates: readonly Template[]
  /** Problems of the invalid templates, which do not hide the valid ones. */
  readonly problems: readonly CatalogProblem[]
}

export type TemplatesGitHost = Pick<GitHost, 'head' | 'listFiles' | 'readFiles'>

export type Templates = ReturnType<typeof createTemplates>

export function createTemplates({
  gitHost,
  repository,
  clock,
}: {
  readonly gitHost: TemplatesGitHost
  readonly repository: RepositoryId
  readonly clock: Clock
}) {
  const cache = createTtlCache<'templates', TemplateList, GitFailure>({
    ttlMs: TTL_MS,
    refreshAfterMs: REFRESH_AFTER_MS,
    clock,
    isOutage: () => true,
    load: (_, previous) => loadHead(gitHost, repository, previous),
  })
  return {
    read: async (): Promise<Result<TemplateList, GitFailure>> => {
      const cached = await cache.read('templates')
      return cached.ok ? ok(cached.value.value) : cached
    },
  }
}

async function loadHead(
  gitHost: TemplatesGitHost,
  repository: RepositoryId,
  previous: TemplateList | undefined,
): Promise<Result<TemplateList, GitFailure>> {
  const head = await gitHost.head(repository)
  if (!head.ok) return head
  if (previous?.commit === head.value.commit) return ok(previous)
  return loadTemplates(gitHost, repository, head.value.commit)
}

export const TEMPLATES_FOLDER = RepositoryPath.of('templates')

export async function loadTemplates(
  gitHost: TemplatesGitHost,
  repository: RepositoryId,
  commit: ObjectId,
): Promise<Result<TemplateList, GitFailure>> {
  const listed = await gitHost.listFiles(repository, {
    commit,
    directory: TEMPLATES_FOLDER,
    filesMax: FILES_MAX,
  })
  if (!listed.ok) return listed
  const folders = foldersOf(listed.value)
  const definitions = [...folders.values()].flatMap(({ definition }) => definition ?? [])
  const sources = new Map<string, string | TemplateFault>()
  for await (const read of gitHost.readFiles(
    repository,
    commit,
    definitions,
    TEMPLATE_FILE_BYTES_MAX,
  )) {
    if (!read.ok) return read
    sources.set(read.value.path, textOf(read.value.bytes))
  }

  const templates: Template[] = []
  const problems: CatalogProblem[] = []
  for (const [name, folder] of folders) {
    const read = await templateOf(name, folder, sources, commit)
    if (read.ok) templates.push(read.value)
    else problems.push(...read.error)
  }
  return ok({ commit, tree: listed.value.tree, templates, problems })
}

type Folder = ReturnType<typeof folderOf>

/** By name. A file that is not in a folder is of no template. */
function foldersOf({ files, skipped }: FileListing): ReadonlyMap<string, Folder> {
  const filesOf = Map.groupBy(files, ({ path }) => /^templates\/([^/]+)\//.exec(path)?.[1] ?? '')
  const skippedOf = Map.groupBy(skipped, ({ rawPath }) => NAME.exec(rawPath)?.[1] ?? '')
  const names = new Set([...filesOf.keys(), ...skippedOf.keys()].filter((name) => name !== ''))
  return new Map(
    [...names]
      .slice(0, TEMPLATES_MAX)
      .map((name) => [name, folderOf(name, filesOf.get(name), skippedOf.get(name))]),
  )
}

const NAME = /^templates\/([^/]+)/

function folderOf(
  name: string,
  files: readonly ListedFile[] = [],
  skipped: FileListing['skipped'] = [],
) {
  const below = (part: string) =>
    files.filter(({ path }) => path.startsWith(`templates/${name}/${part}/`))
  return {
    definition: files.find(({ path }) => path === `templates/${name}/template.yaml`),
    skeleton: below('skeleton'),
    gitops: below('gitops'),
    /** Path of a symbolic link, a submodule or an unusual name. */
    unsafe: skipped.find(({ reason }) => reason !== 'too_many_files')?.rawPath,
    /** Whether files are missing from the listing. */
    isCut: skipped.some(({ reason }) => reason === 'too_many_files'),
  }
}

async function templateOf(
  name: string,
  { definition, skeleton, gitops, unsafe, isCut }: Folder,
  sources: ReadonlyMap<string, string | TemplateFault>,
  revision: ObjectId,
): Promise<Result<Template, readonly CatalogProblem[]>> {
  const path = definition?.path ?? `templates/${name}`
  const problemOf = ({ line, column, message }: TemplateFault): CatalogProblem => ({
    severity: 'error',
    code: 'template_invalid',
    path,
    line,
    column,
    ref: `template/${name}`,
    message,
  })
  const broken = (message: string) => err([problemOf(wholeFault(message))])

  const id = Label.parse(name)
  if (id === undefined)
    return broken(
      'the name of a template must be at most 63 lower-case letters, digits and inner dashes, such as bun-service',
    )
  if (isCut) {
    return broken(
      `too many files: a template may have at most ${TEMPLATE_FILES_MAX}, and all together ${FILES_MAX}`,
    )
  }
  if (definition === undefined) return broken('template.yaml is missing')
  if (unsafe !== undefined) {
    const fault = wholeFault('symbolic links, submodules and unusual names are not followed')
    return err([{ ...problemOf(fault), code: 'template_unsafe_file', path: unsafe }])
  }
  const source = sources.get(definition.path) ?? wholeFault('not read')
  if (typeof source !== 'string') return err([problemOf(source)])
  if (skeleton.length === 0) return broken('skeleton/ has no files')
  if (skeleton.length + gitops.length > TEMPLATE_FILES_MAX) {
    return broken(`a template may have at most ${TEMPLATE_FILES_MAX} files`)
  }
  if (
    gitops.length > 0 &&
    !gitops.some((file) => file.path === `templates/${name}/gitops/kustomization.yaml`)
  ) {
    return broken('gitops/ needs a kustomization.yaml')
  }
  const facts = await parseTemplate(id, source)
  return facts.ok
    ? ok({ ...facts.value, revision, skeleton, gitops })
    : err(facts.error.map(problemOf).toSorted(byPosition))
}

const wholeFault = (message: string): TemplateFault => ({ line: null, column: null, message })

const textOf = (bytes: Uint8Array | null): string | TemplateFault =>
  bytes === null
    ? wholeFault(`template.yaml may have at most ${TEMPLATE_FILE_BYTES_MAX} bytes`)
    : (decodeUtf8(bytes) ?? wholeFault('template.yaml must be UTF-8'))
