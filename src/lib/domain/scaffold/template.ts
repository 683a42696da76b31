import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { lazily } from '../../concurrency/lazily.ts'
import type { Label, ObjectId } from '../../names.ts'
import type { ListedFile } from '../../ports/git-host.ts'
import { err, ok, type Result } from '../../result.ts'
import { type FieldError, schemaFaults } from '../../schema/field-error.ts'
import { OneLine } from '../../schema/one-line.ts'
import { readYaml } from '../../yaml/read.ts'
import { readParameters } from './parameters/read.ts'
import { PARAMETER_KEYWORDS, ParametersSchema } from './parameters/schema.ts'
import type { Parameters } from './parameters/value.ts'

const TEXT_MAX = 500
const TAGS_MAX = 20
const STEP_SHOWN_MAX = 64
/** Further mistakes of a template are told when these are mended. */
const FAULTS_MAX = 20

const Text = OneLine({ minLength: 1, maxLength: TEXT_MAX })
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
    parameters: Type.Optional(ParametersSchema),
  },
  { additionalProperties: false },
)

export interface Template extends Omit<Static<typeof TemplateFile>, 'id' | 'parameters'> {
  readonly id: Label
  readonly parameters?: Parameters | undefined
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

const check = lazily(() => Compile(TemplateFile))

/** Reads a `template.yaml`, or answers its faults. */
export async function parseTemplate(
  id: Label,
  source: string,
): Promise<Result<TemplateFacts, readonly TemplateFault[]>> {
  const reading = readYaml(source)
  if (!reading.ok) {
    const { position, message } = reading.error
    return err([{ ...(position ?? { line: null, column: null }), message }])
  }
  const [document, ...more] = reading.value.documents
  if (document === undefined || more.length > 0) {
    return err([{ line: 1, column: 1, message: 'must be one YAML document' }])
  }
  const { value } = document
  const faults: TemplateFault[] = []
  const report = (path: readonly (string | number)[], message: string) =>
    faults.push({ ...document.locate(path), message })

  if (!check().Check(value)) {
    for (const fault of schemaFaults(check(), value).slice(0, FAULTS_MAX)) {
      const path = stepsOf(fault.path)
      const name = path.map((step) => `${step}`.slice(0, STEP_SHOWN_MAX)).join('.')
      const message = isUnknown(fault) ? unknownMember(path) : fault.message
      report(path, `${name || 'the template'} ${message}`)
    }
    if (faults.length === 0) report([], 'the template is not valid')
    return err(faults)
  }
  if (value.id !== id) report(['id'], 'id must be the name of the folder')
  for (const [name, feature] of Object.entries(value.features)) {
    if (feature.default && !feature.supported) {
      report(['features', name], `features.${name} cannot be on without being supported`)
    }
  }
  const parameters = value.parameters && (await readParameters(value.parameters))
  for (const { path, message } of parameters?.ok === false ? parameters.error : []) {
    report(['parameters', ...path], `parameters.${message}`)
  }
  if (faults.length > 0 || parameters?.ok === false) return err(faults.slice(0, FAULTS_MAX))
  return ok({ ...value, id, parameters: parameters?.value })
}

const isUnknown = ({ rule }: FieldError): boolean => rule === 'unknown'

function unknownMember([first, second, ...rest]: readonly (string | number)[]): string {
  if (first !== 'parameters' || second !== 'properties') return 'is not known here'
  if (rest.length > 1) return `is not known here: a parameter may have ${PARAMETER_KEYWORDS}`
  return 'cannot be a name: letters, digits, _ and -, beginning with a letter, such as databaseSize'
}

/** The steps of a JSON pointer; those into lists are numbers. */
const stepsOf = (pointer: string): readonly (string | number)[] =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((step) => (/^\d+$/.test(step) ? Number(step) : step))
