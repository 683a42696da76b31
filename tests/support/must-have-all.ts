/** In CI a test fails when its real peer is not installed; elsewhere it is skipped. */
export const mustHaveAll = process.env['CI'] !== undefined
