import { SERVICE } from '../../../../ports/secret-store.ts'
import { type ConnectionFinding, fails, works } from '../../../../ports/connection-finding.ts'
import { askCapabilities, type Capabilities } from '../capabilities.ts'
import { failureText } from '../failure-text.ts'
import type { VaultCheckOptions } from './check.ts'
import { neededRights, type NeededRights, policyLine } from './needed-rights.ts'

/** Asks what the login may do, on paths that nobody uses. Names missing rights with the line that a policy needs. */
export async function checkRights(
  options: VaultCheckOptions,
): Promise<readonly ConnectionFinding[]> {
  const rights = neededRights(options)
  const paths = rights.flatMap((right) => [...right.paths.values()])
  const asked = await askCapabilities(options.calls, SERVICE, paths)
  if (!asked.ok) {
    return [
      asked.error.kind === 'secret_store_denied'
        ? fails(`The rights are not known. ${policyLine('sys/capabilities-self', ['update'])}`)
        : fails(`The rights are not known: ${failureText(asked.error)}.`),
    ]
  }
  const findings = rights.flatMap((right) => findingsOf(right, asked.value))
  return findings.some(({ ok }) => !ok)
    ? findings
    : [works('The login has every right that Portico needs.'), ...findings]
}

function findingsOf(
  { paths, rule, needed, unneeded, parameters }: NeededRights,
  granted: Capabilities,
): readonly ConnectionFinding[] {
  const lists = [...paths].map(([each, path]) => [each, granted.get(path) ?? []] as const)
  // A login that is root is a finding of its own.
  if (lists.some(([, list]) => list.includes('root'))) return []
  return unitedBy(rule, lists).flatMap(([at, list]) => {
    const missing = needed.filter((name) => !list.includes(name)).join(' and ')
    const excess = unneeded.filter((name) => list.includes(name)).join(' and ')
    return [
      ...(missing === ''
        ? []
        : [fails(`Missing: ${missing} on ${at}. ${policyLine(at, needed, parameters)}`)]),
      ...(excess === ''
        ? []
        : [works(`Warning: the login has ${excess} on ${at}, which Portico never uses.`)]),
    ]
  })
}

type RuleAndCapabilities = readonly [rule: string, capabilities: readonly string[]]

/** One entry for all paths where their capabilities agree. */
function unitedBy(
  rule: string,
  lists: readonly RuleAndCapabilities[],
): readonly RuleAndCapabilities[] {
  const [first] = lists
  const agree = lists.every(([, list]) => list.join() === first?.[1].join())
  return first !== undefined && agree ? [[rule, first[1]]] : lists
}
