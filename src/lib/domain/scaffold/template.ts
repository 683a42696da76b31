import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Label, ObjectId } from '../../names.ts'
import type { ListedFile } from '../../ports/git-host.ts'
import { err, ok, type Result } from '../../result.ts'
import { ONE_LINE } from '../../schema/one-line.ts'
import { readYaml } from '../../yaml/read.ts'

const TEXT_MAX = 500
const TAGS_MAX = 20

const Text = Type.String({ minLength: 1, maxLength: TEXT_MAX, pattern: ONE_LINE })
const Word = Type.String({ pattern: '^[0-9A-Za-z](?:[0-9A-Za-z.+_-]{0,62}[0-9A-Za-z])?$' })

const Feature = Type.Object(
  { supported: Type.Boolean(), default: Type.Boolean() },
  { additionalProperties: false },
)

/** A `template.yaml`. Strict: an unknown member is most likely a misspelt one. */
const TemplateFile = Type.Object(
  {
    id: Text,
    title: Text,
    description: Text,
    type: Word,
    tags: Type.Array(Text, { maxItems: TAGS_MAX }),
    owner: Text,
    version: Word,
    deprecated: Type.Boolean(),
    features: Type.Object(
      { database: Feature, externalSecrets: Feature, ingress: Feature },
      { additionalProperties: false },
    ),
  },
  { additionalProperties: false },
)

export interface Template extends Omit<Static<typeof TemplateFile>, 'id'> {
  readonly id: Label
  /** Commit of the templates repository. */
  readonly revision: ObjectId
  /** Files of the new repository's first commit. */
  readonly skeleton: readonly ListedFile[]
  /** Files that replace the built-in base; empty to keep it. */
  readonly gitops: readonly ListedFile[]
}

export type TemplateFacts = Omit<Template, 'revision' | 'skeleton' | 'gitops'>

export interface TemplateFault {
  readonly line: number | null
  readonly column: number | null
  readonly message: string
}

const check = Compile(TemplateFile)

/** Reads a `template.yaml`, or answers its first fault. */
export function parseTemplate(id: Label, source: string): Result<TemplateFacts, TemplateFault> {
  const reading = readYaml(source)
  if (!reading.ok) {
    const { position, message } = reading.error
    return err({ ...(position ?? { line: null, column: null }), message })
  }
  const [document, ...more] = reading.value.documents
  if (document === undefined || more.length > 0) {
    return err({ line: 1, column: 1, message: 'must be one YAML document' })
  }
  const { value } = document
  const at = (path: readonly (string | number)[], message: string) =>
    err({ ...document.locate(path), message })

  if (!check.Check(value)) {
    const [first] = check.Errors(value)
    const path = first?.instancePath.split('/').slice(1) ?? []
    return at(path, `${path.join('.') || 'the template'} ${first?.message ?? 'is not valid'}`)
  }
  if (value.id !== id) return at(['id'], 'id must be the name of the folder')
  for (const [name, feature] of Object.entries(value.features)) {
    if (feature.default && !feature.supported) {
      return at(['features', name], `features.${name} cannot be on without being supported`)
    }
  }
  return ok({ ...value, id })
}
