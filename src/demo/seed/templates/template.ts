import type { ParameterSchema } from '../../../lib/domain/scaffold/parameters/schema.ts'
import { file, type SeedFile, yaml } from '../file.ts'

interface Feature {
  readonly supported: boolean
  readonly default: boolean
}

export interface SeedTemplate {
  readonly manifest: {
    readonly id: string
    readonly title: string
    readonly description: string
    readonly type: 'service' | 'website'
    readonly tags: readonly string[]
    readonly owner: string
    readonly version: string
    readonly deprecated: boolean
    readonly features: Readonly<Record<'database' | 'externalSecrets' | 'ingress', Feature>>
    readonly parameters: {
      readonly type: 'object'
      readonly properties: Readonly<Record<string, ParameterSchema>>
    }
  }
  /** Text of each file by its path in the new repository. */
  readonly skeleton: Readonly<Record<string, string>>
  /** Text of each file of the application's base. */
  readonly gitops: Readonly<Record<string, string>>
}

export function filesOf({ manifest, skeleton, gitops }: SeedTemplate): readonly SeedFile[] {
  const folder = `templates/${manifest.id}`
  return [
    file(`${folder}/template.yaml`, yaml(manifest)),
    ...Object.entries(skeleton).map(([path, text]) => file(`${folder}/skeleton/${path}`, text)),
    ...Object.entries(gitops).map(([path, text]) => file(`${folder}/gitops/${path}`, text)),
  ]
}
