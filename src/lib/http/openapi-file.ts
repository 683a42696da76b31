import file from '../../openapi.gen.json' with { type: 'file' }

/** Path of the OpenAPI document. `type: 'file'` embeds it and gives its path; the type checker sees a JSON module. */
export const OPENAPI_FILE = pathOf(file)

function pathOf(imported: unknown): string {
  if (typeof imported !== 'string') throw new Error('openapi.gen.json was not imported as a file')
  return imported
}
