import { join } from 'node:path'
import { EXIT_CONFIG } from '../cli/exit-status.ts'
import type { Environment, SettingSource } from '../lib/settings/setting.ts'
import { withDiskFailures } from '../compose/disk-failure.ts'
import { runServer } from '../compose/server.ts'
import type { Termination } from '../termination.ts'
import { VERSION } from '../version.ts'
import { installationVariables, readDemoConfig } from './settings.ts'

/** Runs the portal with embedded adapters and made-up data. `prepare.ts` is loaded after the socket listens, see `runServer`. */
export function demo(
  environment: Environment,
  readFile: SettingSource['readFile'],
  termination: Termination,
): void {
  const found = installationVariables(environment)
  if (found.length > 0) {
    return refuse(
      `the demo does not start where a real installation is set up: ${found.join(', ')}`,
    )
  }
  const config = readDemoConfig(environment, readFile)
  if (!config.ok) {
    for (const { variable, reason, example } of config.error) {
      refuse(`${variable} ${reason}; for example ${example}`)
    }
    return
  }
  runServer({
    termination,
    host: config.value.HOST,
    port: config.value.PORT,
    async prepare({ url }) {
      const { prepareDemo } = await import('./prepare.ts')
      return withDiskFailures(config.value.DATA_DIR, () => prepareDemo(config.value, url))
    },
    onReady: ({ url: { origin } }) => console.log(banner(origin, config.value.DATA_DIR)),
  })
}

function refuse(sentence: string): void {
  console.error(`portico: ${sentence}`)
  process.exitCode = EXIT_CONFIG
}

const banner = (origin: string, directory: string) => `
  Open      ${origin}
  Look      ${origin}/dev   at the repositories, and at requests for a terminal
  Sign in   ${origin}/dev/sign-in   as dev, manager, platform or outsider
  Clone     git clone http://dev:demo@${origin.slice('http://'.length)}/git/acme/gitops.git
  Clusters  kubectl --kubeconfig ${join(directory, 'kubeconfig')} get pods
  Data      ${directory}, log in ${join(directory, 'portico.log')}; Ctrl-C ends

Portico ${VERSION} ready on ${origin}`
