import type { Result } from '../../result.ts'
import type { DatabaseFailure } from './failure.ts'

export interface DeployTokenRow {
  readonly id: string
  /** SHA-256 of the token. */
  readonly hash: string
  /** `owner/name`, in lower case. */
  readonly repository: string
  readonly name: string
  readonly access: 'read' | 'write'
  readonly createdAt: number
  /** Who made it. */
  readonly subject: string
  readonly personName: string
  readonly lastUsedAt: number | null
}

/** Tokens by which machines read and write a repository of the embedded git host. */
export interface DeployTokenStore {
  insert(row: DeployTokenRow): Promise<Result<void, DatabaseFailure>>
  /** Newest first. */
  list(repository: string): Promise<Result<readonly DeployTokenRow[], DatabaseFailure>>
  find(hash: string): Promise<Result<DeployTokenRow | null, DatabaseFailure>>
  /** Remembers a use, unless a later one is known. */
  touch(id: string, at: number): Promise<Result<void, DatabaseFailure>>
  /** Answers `false` when the repository has no such token. */
  remove(repository: string, id: string): Promise<Result<boolean, DatabaseFailure>>
}
