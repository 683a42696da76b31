import { type CatalogSource, loadSnapshot } from '../../lib/domain/catalog/load.ts'
import { parseFile } from '../../lib/domain/catalog/parse-file.ts'
import type { CatalogProblem } from '../../lib/domain/catalog/problem.ts'
import { relationsIn } from '../../lib/domain/catalog/relations.ts'
import { loadTemplates } from '../../lib/domain/scaffold/templates.ts'
import { unquotedProblems } from '../../lib/domain/scaffold/unquoted.ts'
import type { RepositoryPath } from '../../lib/names.ts'
import { err, ok, type Result } from '../../lib/result.ts'
import { type Checkout, COMMIT, REPOSITORY } from './checkout.ts'

/** The content of a checkout, by the readers of the service. */
export interface CheckedCheckout {
  /** References of the entities that would be served. */
  readonly entities: readonly string[]
  /** Ids of the templates that would be offered. */
  readonly templates: readonly string[]
  readonly problems: readonly CatalogProblem[]
}

/** Nothing of a checkout lasts longer than the check. */
const kept = {
  recall: () => Promise.resolve(new Map()),
  restore: () => Promise.resolve(undefined),
  remember: () => {},
  confirm: () => {},
}

/** `lifecycles`: the known ones, in lower case. Fails with a sentence when a folder or a file cannot be read. */
export async function checkCheckout(
  gitHost: Checkout,
  lifecycles: readonly string[],
  catalogDirectory: RepositoryPath,
): Promise<Result<CheckedCheckout, string>> {
  const source = {
    gitHost,
    repository: REPOSITORY,
    directory: catalogDirectory,
    parser: createParser(lifecycles),
    kept,
  }
  const catalog = await loadSnapshot(source, undefined)
  if (!catalog.ok) return err(reasonOf(catalog.error))
  const { problems } = await relationsIn(catalog.value)
  const offered = await loadTemplates(gitHost, REPOSITORY, COMMIT)
  if (!offered.ok) return err(reasonOf(offered.error))
  const unquoted = await unquotedProblems(gitHost, REPOSITORY, offered.value.templates)
  if (!unquoted.ok) return err(reasonOf(unquoted.error))
  return ok({
    entities: catalog.value.entities.map(({ ref }) => ref),
    templates: offered.value.templates.map(({ id }) => id),
    problems: [...problems, ...offered.value.problems, ...unquoted.value],
  })
}

/** The service parses in a thread of its own, because others wait for the event loop. Here nobody does. */
const createParser = (lifecycles: readonly string[]): CatalogSource['parser'] => ({
  warm: () => {},
  parse: (files) => Promise.resolve(files.map((file) => parseFile(file, lifecycles))),
})

const reasonOf = (failure: { readonly kind: string; readonly reason?: string }): string =>
  failure.reason ?? failure.kind
