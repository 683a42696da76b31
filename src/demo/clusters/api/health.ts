/** What strangers may ask: as the role `system:public-info-viewer` has it. */

const CHECKS = [
  'ping',
  'log',
  'etcd',
  'informer-sync',
  'poststarthook/start-apiserver-admission-initializer',
]

const VERSION = {
  major: '1',
  minor: '32',
  gitVersion: 'v1.32.4+portico',
  gitTreeState: 'clean',
  goVersion: 'go1.23.6',
  compiler: 'gc',
  platform: 'linux/amd64',
}

const plain = (text: string) =>
  new Response(text, { headers: { 'content-type': 'text/plain; charset=utf-8' } })

export function answerPublicly({ pathname, searchParams }: URL): Response | undefined {
  if (pathname === '/version') return Response.json(VERSION)
  const [, name] = /^\/(readyz|livez|healthz)$/.exec(pathname) ?? []
  if (name === undefined) return undefined
  if (!searchParams.has('verbose')) return plain('ok')
  return plain(`${CHECKS.map((check) => `[+]${check} ok\n`).join('')}${name} check passed\n`)
}
