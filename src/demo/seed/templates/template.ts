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
  }
  /** Text of each file by its path in the new repository. */
  readonly skeleton: Readonly<Record<string, string>>
}

export function filesOf({ manifest, skeleton }: SeedTemplate): readonly SeedFile[] {
  const folder = `templates/${manifest.id}`
  return [
    file(`${folder}/template.yaml`, yaml(manifest)),
    ...Object.entries(skeleton).map(([path, text]) => file(`${folder}/skeleton/${path}`, text)),
  ]
}
