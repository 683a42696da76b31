import { parseEvents } from 'js-yaml'
import { readYaml, type YamlDocument } from '../catalog/read-yaml.ts'
import type { Events } from '../catalog/yaml-events.ts'

/** A source, what was read of it and what that means. */
export interface YamlFile {
  readonly source: string
  readonly events: Events
  readonly documents: readonly YamlDocument[]
}

/** Undefined when any document of it is broken. */
export function readYamlFile(source: string): YamlFile | undefined {
  const reading = readYaml(source)
  return reading.kind === 'broken'
    ? undefined
    : { source, events: parseEvents(source, {}), documents: reading.documents }
}
