import { ReleaseFailure } from '#scripts/release/release-failure.ts'

/** The message of the expected failure. */
export async function refusalOf(making: Promise<unknown>): Promise<string> {
  try {
    await making
    return 'none'
  } catch (error) {
    if (error instanceof ReleaseFailure) return error.message
    throw error
  }
}
