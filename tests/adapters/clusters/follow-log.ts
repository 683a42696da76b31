import { accessTo, clusterAt } from '#tests/support/api-server.ts'
import { clusters, NAME } from './calls.ts'

/** A process of its own that follows a log and prints it: `<address of the API server>`. */
const [apiServer = ''] = Bun.argv.slice(2)
const access = accessTo(await clusterAt(apiServer))
const query = { container: null, follow: true, previous: false, tailLines: null }
const log = await clusters.log(access, NAME, query)
if (!log.ok) throw new Error(log.error.kind)
for await (const chunk of log.value) process.stdout.write(chunk)
