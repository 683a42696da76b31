/** The real `kubectl`, of a version that the API servers of the demo are of; Debian 12 has one of 2020 only. */
export const kubectl = Bun.which('kubectl')
if (kubectl === null) console.log('kubectl is not on PATH: tests against it are skipped')
