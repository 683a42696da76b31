import type { GitCallName } from '#tests/peers/forge/git-http.ts'
import type { OperationId } from './operations.ts'

/** Calls of the second origin, where assets are. */
export type StorageCall = 'storage/asset'
export type CallName = OperationId | StorageCall | GitCallName | 'graphql'
