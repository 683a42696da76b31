import { type ChosenPorts, openChosenPorts, withoutCalls } from '../compose/chosen-ports.ts'
import { type ConnectionReport, reportOf } from '../compose/connections/report.ts'
import { connectionSubjects, settingsOf } from '../compose/connections/subjects.ts'
import type { Config } from '../config/config.ts'
import { checkSubjects } from '../lib/domain/connections.ts'
import { findGit } from '../lib/git/version.ts'
import { ok, type Result } from '../lib/result.ts'

/** A report, or every mistake with which `serve` would not start. */
type Checked = Promise<Result<ConnectionReport, readonly string[]>>

const COMPLETE = 'The configuration is complete. `config check --connect` tries it.'

/** Checks what can be checked without a connection, files that settings name included. */
export const checkConfiguration = (config: Config): Checked =>
  withPorts(config, async ({ identity, databaseUrls }) =>
    reportOf(
      await checkSubjects([
        settingsOf(config),
        // Without a provider the answer needs no connection.
        ...(config.canSignIn
          ? []
          : [{ name: 'identity_provider' as const, check: () => identity.check() }]),
        { name: 'database', check: async () => databaseUrls },
        { name: 'git', check: findGit },
      ]),
      COMPLETE,
    ),
  )

/** Tries everything that `serve` would use with this configuration, and changes nothing there. */
export const checkConnections = (config: Config): Checked =>
  withPorts(config, async (ports) =>
    reportOf(await checkSubjects(connectionSubjects(config, ports))),
  )

async function withPorts(
  config: Config,
  report: (ports: ChosenPorts) => Promise<ConnectionReport>,
): Checked {
  const closing = new AbortController()
  const opened = await openChosenPorts(config, {
    ...withoutCalls,
    signal: closing.signal,
  })
  if (!opened.ok) return opened
  const reported = await report(opened.value)
  closing.abort()
  opened.value.registry.close()
  opened.value.workloads.close()
  await opened.value.secretStore.close()
  return ok(reported)
}
