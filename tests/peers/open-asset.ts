/**
 * A process that trusts `NODE_EXTRA_CA_CERTS`, as every process trusts what its system does: `<url> <file with the
 * host's authority>`. Prints the SHA-256 of an asset that it opens with credentials, or the kind of the failure.
 */
import { openAssetOverHttp } from '#src/lib/adapters/hosts/hosted/api/asset.ts'
import { sha256Of } from '#tests/support/assets.ts'

const [url = '', authorityFile = ''] = Bun.argv.slice(2)
const { signal } = new AbortController()
const opened = await openAssetOverHttp(
  {
    url: new URL(url),
    headers: { authorization: 'Bearer secret', 'private-token': 'secret' },
    authority: await Bun.file(authorityFile).text(),
  },
  signal,
)
const bytes = opened.ok ? await new Response(opened.value).bytes() : undefined
console.log(bytes ? sha256Of(bytes) : opened.ok || opened.error.kind)
