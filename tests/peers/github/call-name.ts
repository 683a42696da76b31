import type { GitCallName } from '#tests/peers/forge/git-http.ts'
import type { OperationId } from './operations.ts'

/** Calls of the second origin, where archives and assets are. */
export type StorageCall = 'storage/archive' | 'storage/asset'
export type CallName = OperationId | StorageCall | GitCallName | 'graphql'
