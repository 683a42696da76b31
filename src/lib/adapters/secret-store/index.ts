import { createFileSecretStore } from './file.ts'

/** The secret stores that configuration chooses from. */
export const secretStores = { file: createFileSecretStore } as const
