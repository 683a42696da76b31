/** Upper bound of a push, as it is sent. */
export const PUSH_BYTES_MAX = 512 * 1024 * 1024
/** Upper bound of one object of a push, unpacked: 173 bytes can unpack to a gigabyte. */
const PUSHED_OBJECT_BYTES_MAX = 32 * 1024 * 1024

type Entry = readonly [key: string, value: string]

/**
 * Configuration of every git process. It overrides a repository's own file, which cannot switch a protection off. For
 * `hideRefs` the last match wins.
 */
const entries: readonly Entry[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.logAllRefUpdates', 'always'],
  // By default git does not flush loose objects: a power cut could keep the ref and lose the commit.
  ['core.fsync', 'committed'],
  ['core.filesRefLockTimeout', '2000'],
  ['core.packedRefsTimeout', '2000'],
  // A volume may belong to another uid; the owner check is meant for directories of other people.
  ['safe.directory', '*'],
  // Only `maintenance.ts` starts it.
  ['gc.auto', '1000'],
  // The first line of a branch's log says who created it.
  ['gc.reflogExpire', 'never'],
  ['gc.reflogExpireUnreachable', 'never'],
  ['gc.autoDetach', 'false'],
  ['receive.autogc', 'false'],
  ['receive.fsckObjects', 'true'],
  ['receive.maxInputSize', String(PUSH_BYTES_MAX)],
  ['receive.hideRefs', 'refs'],
  ['receive.hideRefs', '!refs/heads'],
  ['receive.hideRefs', '!refs/tags'],
  // Git would resolve these for `HEAD` or for a full ref name that does not exist. They are no `BranchName`s either.
  ['receive.hideRefs', 'refs/heads/HEAD'],
  ['receive.hideRefs', 'refs/tags/HEAD'],
  ['receive.hideRefs', 'refs/heads/refs'],
  ['receive.hideRefs', 'refs/tags/refs'],
  ['transfer.hideRefs', 'refs/portico'],
  ['uploadpack.allowFilter', 'true'],
  // A partial clone fetches its missing objects by id, which version 0 of the protocol needs a permission for and version 2 does not.
  ['uploadpack.allowAnySHA1InWant', 'true'],
  // Larger files are packed and compared as wholes. By default half a gigabyte is held in memory for a diff.
  ['core.bigFileThreshold', '8m'],
  // A clone searches ten objects at a time for deltas, in each thread: four clones of 190 MB took 1.5 GB.
  ['pack.threads', '1'],
  ['pack.windowMemory', '16m'],
  ['pack.deltaCacheSize', '8m'],
]

/**
 * Unpacking takes a multiple of the largest object. Git has no setting for that; `GIT_ALLOC_LIMIT`, which its own tests use, ends
 * a process that asks for more memory at once. It bounds the number of objects too, since git keeps them in one array.
 */
const unpacking: readonly Entry[] = [
  // `unpack-objects`, for small pushes, keeps up to a hundred objects in memory until all are checked; `index-pack` does not.
  ['receive.unpackLimit', '1'],
  ['transfer.unpackLimit', '1'],
  // Above the threshold an object is written as it comes, and its size is not seen.
  ['core.bigFileThreshold', '1024g'],
  ['core.deltaBaseCacheLimit', '16m'],
]

const environmentOf = (all: readonly Entry[]): Readonly<Record<string, string>> => ({
  GIT_CONFIG_COUNT: String(all.length),
  ...Object.fromEntries(
    all.flatMap(([key, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, key],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ),
})

const environmentOfPush = (more: readonly Entry[]) => ({
  ...environmentOf([...entries, ...more]),
  GIT_ALLOC_LIMIT: String(PUSHED_OBJECT_BYTES_MAX),
})

export const settings = environmentOf(entries)

/** Environment of the process that sends a pack: large files go as they are. */
export const fetchSettings = environmentOf([...entries, ['core.bigFileThreshold', '1m']])

/** Environment of the process that takes a push. */
export const pushSettings = environmentOfPush(unpacking)

/** The same for a push that may move no branch but forward. */
export const forwardPushSettings = environmentOfPush([
  ...unpacking,
  ['receive.denyNonFastForwards', 'true'],
])

/** `fetch` of this process goes through the same proxies. */
const PROXIES = [
  'http_proxy',
  'https_proxy',
  'HTTPS_PROXY',
  'all_proxy',
  'ALL_PROXY',
  'no_proxy',
  'NO_PROXY',
]

/** Mistakes of old programs in objects, which do no harm; a repository that has them must stay readable. */
const HARMLESS = [
  'zeroPaddedFilemode',
  'missingSpaceBeforeDate',
  'badTimezone',
  'missingEmail',
  'missingNameBeforeEmail',
  'zeroPaddedDate',
  // Nothing is checked out, and a listing leaves such paths out.
  'hasDot',
  'hasDotdot',
  'hasDotgit',
  'fullPathname',
  'emptyName',
]

/**
 * Environment of a process that speaks to a git host. Credentials are neither in an argument vector nor in a file; without redirects
 * they reach the named host alone.
 */
export const networkSettings = (authorization: string | null, authorityFile: string | null) => ({
  ...environmentOf([
    ...entries,
    ['protocol.allow', 'never'],
    ['protocol.http.allow', 'always'],
    ['protocol.https.allow', 'always'],
    ['http.followRedirects', 'false'],
    // While a host counts objects it sends 5 bytes every 5 s (`uploadpack.keepAlive`), of which curl sees none in most of its measurements.
    ['http.lowSpeedLimit', '1'],
    ['http.lowSpeedTime', '60'],
    ['credential.helper', ''],
    ['fetch.recurseSubmodules', 'no'],
    ['fetch.fsckObjects', 'true'],
    ...HARMLESS.map((mistake) => [`fetch.fsck.${mistake}`, 'ignore'] as const),
    // A mirror's refs only keep objects; their history is of no use.
    ['core.logAllRefUpdates', 'false'],
    ['push.followTags', 'false'],
    ...(authorization === null
      ? []
      : ([['http.extraHeader', `authorization: ${authorization}`]] as const)),
    ...(authorityFile === null ? [] : ([['http.sslCAInfo', authorityFile]] as const)),
  ]),
  GIT_PROTOCOL: 'version=2',
  ...Object.fromEntries(
    PROXIES.flatMap((name) => {
      const value = process.env[name]
      return value === undefined ? [] : [[name, value]]
    }),
  ),
})
