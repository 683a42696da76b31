import { SERVICE } from '../../../../ports/secret-store.ts'
import { type ConnectionFinding, fails, works } from '../../../../ports/connection-finding.ts'
import { readCapabilities } from '../answers.ts'
import { vaultPath } from '../api/client.ts'
import { failureText } from '../failure-text.ts'
import type { VaultCheckOptions } from './check.ts'
import { neededRights, type NeededRights } from './needed-rights.ts'

/** Asks what the login may do, on paths that nobody uses. Names missing rights with the line that a policy needs. */
export async function checkRights(
  options: VaultCheckOptions,
): Promise<readonly ConnectionFinding[]> {
  const rights = neededRights(options)
  const answer = await options.calls.call(
    SERVICE,
    {
      method: 'POST',
      path: vaultPath`sys/capabilities-self`,
      body: { paths: rights.flatMap(({ paths }) => [...paths.values()]) },
      repeatable: true,
    },
    'update on sys/capabilities-self',
  )
  if (!answer.ok) return [fails(`The rights are not known: ${failureText(answer.error)}.`)]
  const capabilities = readCapabilities(answer.value)
  if (capabilities === undefined) return [fails('The answer about rights is not that of Vault.')]
  const granted = new Map(Object.entries(capabilities))
  const findings = rights.flatMap((right) => findingsOf(right, granted))
  return findings.some(({ ok }) => !ok)
    ? findings
    : [works('The login has every right that Portico needs.'), ...findings]
}

type Granted = ReadonlyMap<string, readonly string[]>

function findingsOf(
  { paths, rule, needed, unneeded, parameters }: NeededRights,
  granted: Granted,
): readonly ConnectionFinding[] {
  const lists = [...paths].map(([each, path]) => [each, granted.get(path) ?? []] as const)
  // A login that is root is a finding of its own.
  if (lists.some(([, list]) => list.includes('root'))) return []
  return unitedBy(rule, lists).flatMap(([at, list]) => {
    const missing = needed.filter((name) => !list.includes(name)).join(' and ')
    const excess = unneeded.filter((name) => list.includes(name)).join(' and ')
    const line = `path "${at}" { capabilities = ${JSON.stringify(needed)}${parameters} }`
    return [
      ...(missing === ''
        ? []
        : [fails(`Missing: ${missing} on ${at}. Add to the policy: ${line}`)]),
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
