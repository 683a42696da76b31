/**
 * A process that asks once for a promotion with secrets, on the embedded git host and the secret store of its environment, and kills
 * itself at a point between two effects. Arguments: data directory, number of the point (0: none). Prints how many points it passed,
 * and what was answered.
 */
import { createDeath } from '#tests/support/mortal.ts'
import { openPromotion } from './open-promotion.ts'

async function main(): Promise<void> {
  const [directory = '', dieAt = '0'] = process.argv.slice(2)
  const { mortal, passed } = createDeath(Number(dieAt))
  await using promotion = await openPromotion(directory, mortal)
  promotion.start()
  const promoted = await promotion.promote()
  console.log(`${passed()} ${promoted.ok ? 'ok' : promoted.error.kind}`)
}

// Bytecode has no `await` outside of a function.
void main()
