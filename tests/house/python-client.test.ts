import { test } from 'bun:test'
import { join } from 'node:path'
import { mustHaveAll } from '#tests/support/must-have-all.ts'
import { openPortal } from '#tests/support/portal.ts'
import { openFolder } from '#tests/support/open-folder.ts'
import { outputOf } from '#tests/support/run-program.ts'

/** Imports every module of the client, and reads entities as objects. */
const PROGRAM = `
import importlib, pkgutil, sys, client
for module in pkgutil.walk_packages(client.__path__, 'client.'):
    importlib.import_module(module.name)
from client.api.catalog import get_entity, list_entities
from client.api.clusters import list_clusters
from client.api.promotion import get_promotion
from client.api.scaffold import list_templates
portico = client.Client(base_url=sys.argv[1], raise_on_unexpected_status=True)
entities = list_entities.sync(client=portico, kind=['Component'])
entity = get_entity.sync('component', entities[0].metadata.name, client=portico)
assert entity == entities[0]
state = get_promotion.sync('component', entity.metadata.name, client=portico)
assert state.entity.name == entity.metadata.name, state
for answer in (list_clusters, list_templates):
    assert isinstance(answer.sync(client=portico), list)
`

const GENERATOR = ['python3', '-m', 'openapi_python_client']
const hasGenerator =
  Bun.which('python3') !== null && Bun.spawnSync([...GENERATOR, '--version']).exitCode === 0
if (!hasGenerator) console.warn('No openapi-python-client: the Python client is not tried.')

test.skipIf(!hasGenerator && !mustHaveAll)(
  'a generated Python client imports, and reads',
  async () => {
    await using place = await openFolder()
    await using portal = await openPortal()
    using server = Bun.serve({
      port: 0,
      fetch: ({ url }) => portal.request(url.slice(new URL(url).origin.length), { as: 'platform' }),
    })
    const run = (...command: readonly string[]) => outputOf(command, { cwd: place.path })
    await Bun.write(join(place.path, 'quiet.yaml'), 'post_hooks: []\n')
    const document = join(process.cwd(), 'src/openapi.gen.json')
    const flags = ['--path', document, '--output-path', 'client', '--config', 'quiet.yaml']
    await run(...GENERATOR, 'generate', ...flags, '--meta', 'none')
    await run('python3', '-c', PROGRAM, server.url.origin)
  },
)
