import { EXIT_FAILED, EXIT_USAGE } from '../exit-status.ts'

/** A command that ends with a sentence for the person and a status for a program. */
export class ClientFailure extends Error {
  override readonly name = 'ClientFailure'
  readonly exitStatus: number
  constructor(message: string, exitStatus: number = EXIT_FAILED) {
    super(message)
    this.exitStatus = exitStatus
  }
}

export const usage = (message: string): ClientFailure => new ClientFailure(message, EXIT_USAGE)

/** Failures that are expected, those of a connection that ends or falls silent within an answer too. */
export function failureOf(error: unknown): ClientFailure | undefined {
  if (error instanceof ClientFailure) return error
  if (!(error instanceof Error)) return undefined
  const isCut = 'code' in error && error.code === 'ECONNRESET'
  return isCut || error.name === 'TimeoutError'
    ? new ClientFailure('the connection to the portal ended')
    : undefined
}
