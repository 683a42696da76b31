import { type RepositoryId, RepositoryPath } from '../../names.ts'
import type { GitFailure, ListedFile, WrittenFile } from '../../ports/git-host.ts'
import { err, ok, type Result } from '../../result.ts'
import { decodeUtf8Exactly } from '../../text/utf8.ts'
import type { FieldError } from '../../schema/field-error.ts'
import { misfitsOf, nameMisfits } from './misfit.ts'
import { hasUnknownParameter, substitute, type Values } from './placeholders.ts'
import type { TemplatesGitHost } from './templates.ts'
import type { Template } from './template.ts'

export const FILE_BYTES_MAX = 1024 * 1024
const TEMPLATE_BYTES_MAX = 10 * 1024 * 1024

/** Texts of people that do not fit into the files of the template. */
export interface ValuesUnfit {
  readonly kind: 'values_unfit'
  readonly misfits: readonly FieldError[]
}

export type RenderFailure =
  | GitFailure
  /** An unsafe or doubled path, an unknown parameter, or too many bytes. */
  | { readonly kind: 'template_broken'; readonly reason: string }
  | ValuesUnfit

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
  const misfits: FieldError[] = []
  let bytesLeft = TEMPLATE_BYTES_MAX
  const reading = gitHost.readFiles(repository, template.revision, template[part], FILE_BYTES_MAX)
  for await (const read of reading) {
    if (!read.ok) return read
    const { path: source, bytes } = read.value
    if (bytes === null) return broken('a file is too large')
    const name = source.slice(prefix.length)
    const content = decodeUtf8Exactly(bytes)
    if (template.parameters !== undefined && hasUnknownParameter(`${name} ${content}`, values)) {
      return broken(`${name} has a parameter that template.yaml does not have`)
    }
    const rendered = substituteBytes(bytes, content, values)
    bytesLeft -= rendered.length
    if (bytesLeft < 0) return broken('its files are too large')
    const unfit = nameMisfits(name, values)
    misfits.push(...unfit)
    const path = RepositoryPath.parse(`${below}${fill(name, values)}`)
    if (path === undefined && unfit.length > 0) continue
    if (path === undefined) return broken('a file name is not safe after substitution')
    if (files.has(path)) return broken('two files have the same name after substitution')
    if (content !== undefined) misfits.push(...misfitsOf(path, content, values))
    const executable = listed.get(source)?.executable === true
    files.set(path, { kind: 'write', path, bytes: rendered, executable })
  }
  if (misfits.length > 0) return err({ kind: 'values_unfit', misfits })
  const clash = [...files.keys()].some((path) =>
    foldersOf(path).some((folder) => files.has(folder)),
  )
  if (clash) return broken('a file has the name of a folder after substitution')
  return ok([...files.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1)))
}

const fill = (text: string, values: Values): string =>
  substitute(text, (name) => values.get(name)?.text)

const foldersOf = (path: RepositoryPath): readonly RepositoryPath[] =>
  path
    .split('/')
    .slice(0, -1)
    .map((_, index, parts) => RepositoryPath.of(parts.slice(0, index + 1).join('/')))

export const broken = (reason: string) => err({ kind: 'template_broken', reason })

/** A file that is not UTF-8 stays as it is. */
function substituteBytes(bytes: Uint8Array, text: string | undefined, values: Values): Uint8Array {
  const filled = text === undefined ? undefined : fill(text, values)
  return filled === undefined || filled === text ? bytes : new TextEncoder().encode(filled)
}
