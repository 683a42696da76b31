/**
 * A process that asks once for a promotion with a secret on the embedded adapters, and kills itself at a point between two
 * effects. Arguments: data directory, number of the point (0: none). Prints how many points it passed, and what was answered.
 */
import { createDeath } from '#tests/support/mortal.ts'
import { openPromotion } from './open-promotion.ts'

const [directory = '', dieAt = '0'] = process.argv.slice(2)
const { mortal, passed } = createDeath(Number(dieAt))
await using promotion = await openPromotion(directory, mortal)
const promoted = await promotion.promote()
console.log(`${passed()} ${promoted.ok ? 'ok' : promoted.error.kind}`)
