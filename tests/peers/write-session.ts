import { openPatiently } from '#src/compose/patience.ts'
import { openDatabase } from '#src/lib/adapters/database/index.ts'

/** Another process with the same database, which it opens as the service does: writes one session and prints its hash. */
const opened = await openPatiently(() => openDatabase(process.argv[2] ?? ''), {
  log: { info: () => {}, warn: () => {} },
})
if (!opened.ok) throw new Error(opened.error.reason)

const idHash = crypto.randomUUID()
const now = Date.now()
const inserted = await opened.value.sessions.insert(
  {
    idHash,
    kind: 'browser',
    issuer: 'i',
    subject: 's',
    sid: null,
    createdAt: now,
    seenAt: now,
    expiresAt: now,
    version: 1,
    keyId: 'k',
    sealed: new Uint8Array(1),
    address: null,
    userAgent: null,
  },
  10,
)
if (!inserted.ok) throw new Error(inserted.error.reason)
await opened.value.close()
process.stdout.write(idHash)
