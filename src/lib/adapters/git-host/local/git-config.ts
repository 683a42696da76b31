/** Upper bound of a push, decompressed. */
export const PUSH_BYTES_MAX = 512 * 1024 * 1024

/**
 * Configuration of every git process. It overrides a repository's own file, which cannot switch a protection off. For
 * `hideRefs` the last match wins.
 */
const entries: readonly (readonly [key: string, value: string])[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.logAllRefUpdates', 'always'],
  // By default git does not flush loose objects: a power cut could keep the ref and lose the commit.
  ['core.fsync', 'committed'],
  ['core.filesRefLockTimeout', '2000'],
  ['core.packedRefsTimeout', '2000'],
  // A volume may belong to another uid; the owner check is meant for directories of other people.
  ['safe.directory', '*'],
  // Only `packNowAndThen` starts it.
  ['gc.auto', '1000'],
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
