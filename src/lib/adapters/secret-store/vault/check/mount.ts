import { SERVICE } from '../../../../ports/secret-store.ts'
import { type ConnectionFinding, fails, works } from '../../../../ports/connection-finding.ts'
import { readMount } from '../answers.ts'
import { vaultPath } from '../api/client.ts'
import { failureText } from '../failure-text.ts'
import type { VaultCheckOptions } from './check.ts'

/** Asks as the command line client does before `kv` commands. Any right below the mount allows it. */
export async function checkMount({
  calls,
  mount,
}: VaultCheckOptions): Promise<readonly ConnectionFinding[]> {
  const answer = await calls.call(
    SERVICE,
    { method: 'GET', path: vaultPath`sys/internal/ui/mounts/${mount}`, repeatable: true },
    `any right on ${mount}`,
  )
  if (!answer.ok) {
    return answer.error.kind === 'secret_store_denied'
      ? [fails(`There is no mount ${mount}, or the login has no right on it.`)]
      : [fails(`The mount ${mount} is not known: ${failureText(answer.error)}.`)]
  }
  const found = readMount(answer.value)
  // The answer is about the mount that the path lies in.
  if (found?.path !== `${mount}/`) return [fails(`There is no mount ${mount}.`)]
  if (found.type !== 'kv') return [fails(`The mount ${mount} is not a key/value store.`)]
  if (found.options?.['version'] !== '2') {
    return [
      fails(
        `The mount ${mount} is a key/value store of version 1: \`bao kv enable-versioning ${mount}\` makes it one of version 2.`,
      ),
    ]
  }
  return [works(`The mount ${mount} is a key/value store of version 2.`)]
}
