/** A push, unpacked, is at most this large. */
export const PUSH_BYTES_MAX = 512 * 1024 * 1024

/**
 * Configuration of every git process, above what a repository's own file says: it holds for repositories of any age,
 * and a repository cannot switch a protection off. Order matters for `hideRefs`, where the last match wins.
 */
const entries: readonly (readonly [key: string, value: string])[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.logAllRefUpdates', 'always'],
  // git's default leaves loose objects to the system: a power cut could keep the ref and lose the commit.
  ['core.fsync', 'committed'],
  ['core.filesRefLockTimeout', '2000'],
  ['core.packedRefsTimeout', '2000'],
  // The owner check protects people who walk into a stranger's directory; a volume may well belong to another uid.
  ['safe.directory', '*'],
  // Asked for by `packNowAndThen` alone.
  ['gc.auto', '1000'],
  ['gc.autoDetach', 'false'],
  ['receive.autogc', 'false'],
  ['receive.fsckObjects', 'true'],
  ['receive.maxInputSize', String(PUSH_BYTES_MAX)],
  ['receive.hideRefs', 'refs'],
  ['receive.hideRefs', '!refs/heads'],
  ['receive.hideRefs', '!refs/tags'],
  // No `BranchName`s either: git finds them, too, when asked for `HEAD` or for a full name that does not exist.
  ['receive.hideRefs', 'refs/heads/HEAD'],
  ['receive.hideRefs', 'refs/tags/HEAD'],
  ['receive.hideRefs', 'refs/heads/refs'],
  ['receive.hideRefs', 'refs/tags/refs'],
  ['transfer.hideRefs', 'refs/portico'],
  ['uploadpack.allowFilter', 'true'],
]

export const settings = {
  GIT_CONFIG_COUNT: String(entries.length),
  ...Object.fromEntries(
    entries.flatMap(([key, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, key],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ),
}
