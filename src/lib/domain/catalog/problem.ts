/** A mistake in the gitops repository, for the owners of the file. */
export interface CatalogProblem extends Finding {
  readonly path: string
}

/** A problem without the path of its file. Lines and columns count from 1. */
export interface Finding {
  /** `error`: the document, or the whole file, is not served. `warning`: it is. */
  readonly severity: 'error' | 'warning'
  readonly code: ProblemCode
  readonly line: number | null
  readonly column: number | null
  /** `kind/name` in lower case, when the document got that far. */
  readonly ref: string | null
  readonly message: string
}

export const problemCodes = [
  'file_too_large',
  'file_not_utf8',
  'file_unsafe_path',
  'file_symbolic_link',
  'file_submodule',
  'file_unreadable',
  'file_pending',
  'files_too_many',
  'catalog_too_large',
  'yaml_syntax',
  'yaml_duplicate_key',
  'yaml_too_deep',
  'yaml_too_slow',
  'document_too_large',
  'document_not_mapping',
  'document_not_json',
  'document_cyclic',
  'field_missing',
  'field_invalid',
  'number_imprecise',
  'lifecycle_unknown',
  'owner_unrecognised',
  'entity_duplicate',
  'relation_broken',
  'relation_to_itself',
  'template_invalid',
  'template_unsafe_file',
  'template_unquoted',
  'templates_unavailable',
] as const

export type ProblemCode = (typeof problemCodes)[number]

/** By path, then line. */
export const byPosition = (a: CatalogProblem, b: CatalogProblem): number =>
  a.path === b.path ? (a.line ?? 0) - (b.line ?? 0) : a.path < b.path ? -1 : 1

/** Limit of a catalog file. */
export const FILE_BYTES_MAX = 1024 * 1024

/** A finding that hides the whole file. */
export const fileFinding = (code: ProblemCode, message: string): Finding => ({
  severity: 'error',
  code,
  line: null,
  column: null,
  ref: null,
  message,
})

export const fileTooLarge = fileFinding(
  'file_too_large',
  `a catalog file may have at most ${FILE_BYTES_MAX} bytes`,
)
