import { accessSync, constants, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { EXIT_CONFIG } from '../exit-status.ts'
import type { Environment } from '../lib/settings/setting.ts'
import { runServer, StartFailure } from '../portal/server.ts'
import type { Termination } from '../termination.ts'
import { VERSION } from '../version.ts'
import { installationVariables, readDemoConfig } from './settings.ts'

/** Runs the portal with embedded adapters and made-up data. `prepare.ts` is loaded after the socket listens, see `runServer`. */
export function demo(environment: Environment, termination: Termination): void {
  const found = installationVariables(environment)
  if (found.length > 0) {
    return refuse(
      `the demo does not start where a real installation is set up: ${found.join(', ')}`,
    )
  }
  const config = readDemoConfig(environment)
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
      makeWritable(config.value.DATA_DIR)
      const { prepareDemo } = await import('./prepare.ts')
      return prepareDemo(config.value, url)
    },
    onReady: ({ url: { origin } }) => console.log(banner(origin, config.value.DATA_DIR)),
  })
}

function refuse(sentence: string): void {
  console.error(`portico: ${sentence}`)
  process.exitCode = EXIT_CONFIG
}

function makeWritable(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true })
    accessSync(directory, constants.W_OK)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    throw new StartFailure(`DATA_DIR cannot be written to (${code}): ${directory}`)
  }
}

const banner = (origin: string, directory: string) => `
  Open      ${origin}
  Sign in   ${origin}/dev/sign-in   as dev, manager, platform or outsider
  Clone     git clone http://dev:demo@${origin.slice('http://'.length)}/git/acme/gitops.git
  Clusters  kubectl --kubeconfig ${join(directory, 'kubeconfig')} get pods
  Data      ${directory}, log in ${join(directory, 'portico.log')}; Ctrl-C ends

Portico ${VERSION} ready on ${origin}`
