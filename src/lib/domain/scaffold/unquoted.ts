import type { GitFailure, GitHost } from '../../ports/git-host.ts'
import type { RepositoryId } from '../../names.ts'
import { ok, type Result } from '../../result.ts'
import { decodeUtf8Exactly } from '../../text/utf8.ts'
import type { CatalogProblem } from '../catalog/problem.ts'
import { SEVERAL_WORDS, unquotedIn } from './misfit.ts'
import type { Parameter } from './parameters/value.ts'
import { sampleValues, substitute } from './placeholders.ts'
import { FILE_BYTES_MAX } from './render.ts'
import type { Template } from './template.ts'

/** Further places of a template are named once these are mended. */
const PLACES_MAX = 20

/**
 * The places where the value of a parameter could become several words of code. Such a template is offered all the same, and values with
 * a space or `=` are refused.
 */
export async function unquotedProblems(
  gitHost: Pick<GitHost, 'readFiles'>,
  repository: RepositoryId,
  templates: readonly Template[],
): Promise<Result<readonly CatalogProblem[], GitFailure>> {
  const problems: CatalogProblem[] = []
  for (const template of templates) {
    const found = await unquotedOf(gitHost, repository, template)
    if (!found.ok) return found
    problems.push(...found.value.slice(0, PLACES_MAX))
  }
  return ok(problems)
}

async function unquotedOf(
  gitHost: Pick<GitHost, 'readFiles'>,
  repository: RepositoryId,
  { id, revision, parameters, skeleton, gitops }: Template,
): Promise<Result<readonly CatalogProblem[], GitFailure>> {
  const parameterNames = [...(parameters?.byName ?? [])]
  const several = new Set(
    parameterNames.filter(([, each]) => mayBeSeveralWords(each)).map(([name]) => name),
  )
  if (several.size === 0) return ok([])
  const values = sampleValues(parameterNames.map(([name]) => name))
  const problems: CatalogProblem[] = []
  for await (const read of gitHost.readFiles(
    repository,
    revision,
    [...skeleton, ...gitops],
    FILE_BYTES_MAX,
  )) {
    if (!read.ok) return read
    const { path, bytes } = read.value
    const source = bytes === null ? undefined : decodeUtf8Exactly(bytes)
    if (source === undefined) continue
    for (const { name, line } of unquotedIn(
      substitute(path, (name) => values.get(name)?.text),
      source,
      values,
    )) {
      if (!several.has(name)) continue
      problems.push({
        severity: 'warning',
        code: 'template_unquoted',
        path,
        line,
        column: null,
        ref: `template/${id}`,
        message: `${name} may have spaces or = and stands outside of quotes in code: write quotes around it, or give it a pattern without them, such as ^[a-z-]+$; until then values with a space or = are refused`,
      })
    }
  }
  return ok(problems)
}

/** Whether the rules of a parameter let people write a space or a `=`; also when that cannot be told. */
function mayBeSeveralWords({ type, schema }: Pick<Parameter, 'type' | 'schema'>): boolean {
  if (type !== 'string') return false
  if (schema.enum !== undefined)
    return schema.enum.some((choice) => SEVERAL_WORDS.test(`${choice}`))
  return schema.pattern === undefined || !isOneWord(schema.pattern)
}

/** The parts of a simple pattern, within `^` and `$`: groups, repetitions, sets without exclusion, and characters that stand for themselves. */
const PART =
  /\\[dw.\-/+*?()[\]{}|^$@:_]|\[(?!\^)(?:[ -Z_-~]|\\[dw.\-/+@:_])+\]|\(\?:|[()|*+?]|\{\d+(?:,\d*)?\}|[^\\[\](){}|*+?.^$]/gu

/** Whether a pattern surely matches no text with a space or a `=`. Only simple patterns are understood. */
function isOneWord(pattern: string): boolean {
  const [, body] = /^\^(.*)\$$/su.exec(pattern) ?? []
  const parts = body?.match(PART) ?? []
  if (body === undefined || parts.join('') !== body) return false
  let depth = 0
  for (const part of parts) {
    if (part.startsWith('(')) depth += 1
    if (part === ')') depth -= 1
    // `^a|b$` is found within texts that have other characters beside it.
    if (part === '|' && depth === 0) return false
    const hasSeveral = part.startsWith('[')
      ? [' ', '='].some((character) => new RegExp(part).test(character))
      : SEVERAL_WORDS.test(part)
    if (hasSeveral) return false
  }
  return true
}
