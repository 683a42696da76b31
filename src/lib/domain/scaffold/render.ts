import { type RepositoryId, RepositoryPath } from '../../names.ts'
import type { GitFailure, ListedFile } from '../../ports/git-host.ts'
import { err, ok, type Result } from '../../result.ts'
import { decodeUtf8Exactly } from '../../text/utf8.ts'
import type { WrittenFile } from '../gitops/proposed-branch.ts'
import type { TemplatesGitHost } from './templates.ts'
import type { Template } from './template.ts'

const FILE_BYTES_MAX = 1024 * 1024
const TEMPLATE_BYTES_MAX = 10 * 1024 * 1024

/** Names of the placeholders. */
export const VALUE_NAMES = [
  'appName',
  'description',
  'team',
  'namespace',
  'org',
  'owner',
  'image',
  'templateId',
  'templateVersion',
  'databaseEnabled',
  'externalSecretsEnabled',
  'ingressEnabled',
] as const
export type Values = Readonly<Record<(typeof VALUE_NAMES)[number], string>>

export type RenderFailure =
  | GitFailure
  /** An unsafe or doubled path, or too many bytes. */
  | { readonly kind: 'template_broken'; readonly reason: string }

const PLACEHOLDER = /\{\{ *values\.([A-Za-z]+) *\}\}/g

/** Replaces `{{ values.appName }}` and the like once: braces of GitHub and Helm, and placeholders within values, stay. */
export const substitute = (text: string, values: Values): string =>
  text.replaceAll(PLACEHOLDER, (whole, name: string) => {
    const valueName = VALUE_NAMES.find((each) => each === name)
    return valueName === undefined ? whole : values[valueName]
  })

/** The files of one part of a template, below a folder. Built in memory: no path of a template reaches a file system. */
export async function renderPart(
  {
    gitHost,
    repository,
  }: { readonly gitHost: TemplatesGitHost; readonly repository: RepositoryId },
  template: Template,
  { part, below }: { readonly part: 'skeleton' | 'gitops'; readonly below: string },
  values: Values,
): Promise<Result<readonly WrittenFile[], RenderFailure>> {
  const prefix = `templates/${template.id}/${part}/`
  const listed = new Map<string, ListedFile>(template[part].map((file) => [file.path, file]))
  const files = new Map<RepositoryPath, WrittenFile>()
  let bytesLeft = TEMPLATE_BYTES_MAX
  const reading = gitHost.readFiles(repository, template.revision, template[part], FILE_BYTES_MAX)
  for await (const read of reading) {
    if (!read.ok) return read
    const { path: source, bytes } = read.value
    if (bytes === null) return broken('a file is too large')
    const rendered = substituteBytes(bytes, values)
    bytesLeft -= rendered.length
    if (bytesLeft < 0) return broken('its files are too large')
    const path = RepositoryPath.parse(`${below}${substitute(source.slice(prefix.length), values)}`)
    if (path === undefined) return broken('a file name is not safe after substitution')
    if (files.has(path)) return broken('two files have the same name after substitution')
    const executable = listed.get(source)?.executable === true
    files.set(path, { kind: 'write', path, bytes: rendered, executable })
  }
  const clash = [...files.keys()].some((path) =>
    foldersOf(path).some((folder) => files.has(folder)),
  )
  if (clash) return broken('a file has the name of a folder after substitution')
  return ok([...files.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1)))
}

const foldersOf = (path: RepositoryPath): readonly RepositoryPath[] =>
  path
    .split('/')
    .slice(0, -1)
    .map((_, index, parts) => RepositoryPath.of(parts.slice(0, index + 1).join('/')))

export const broken = (reason: string) => err({ kind: 'template_broken', reason })

/** A file that is not UTF-8 stays as it is. */
function substituteBytes(bytes: Uint8Array, values: Values): Uint8Array {
  const text = decodeUtf8Exactly(bytes)
  if (text === undefined) return bytes
  const replaced = substitute(text, values)
  return replaced === text ? bytes : new TextEncoder().encode(replaced)
}
