import type { Credential } from './state.ts'

const LEVELS = ['read', 'write', 'admin']

export function mayDo(
  { rights }: Credential,
  right: keyof Credential['rights'],
  level: 'read' | 'write',
): boolean {
  return LEVELS.indexOf(rights[right] ?? '') >= LEVELS.indexOf(level)
}
