/** Why nothing can listen at `HOST` and a port, and which setting changes it. */
export function listenFailure(error: unknown, portVariable: string): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE') return `the port is in use; choose another with ${portVariable}`
  if (code === 'EACCES') {
    return `this user may not use the port; choose one above 1023 with ${portVariable}`
  }
  if (code === 'EADDRNOTAVAIL') {
    return 'this machine does not have the address; choose another with HOST'
  }
  return String(error)
}
