/** A semantic version (semver.org 2.0.0) without a leading `v` and with numbers of bounded length. */
export interface Version {
  readonly text: string
  readonly prerelease: boolean
}

const NUMBER = '(?:0|[1-9][0-9]{0,8})'
const IDENTIFIER = '(?:0|[1-9][0-9]{0,14}|[0-9]*[A-Za-z-][0-9A-Za-z-]*)'
const BUILD = '[0-9A-Za-z-]+'

export const VERSION_MAX_LENGTH = 100
export const VERSION_PATTERN = `^${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-${IDENTIFIER}(?:\\.${IDENTIFIER})*)?(?:\\+${BUILD}(?:\\.${BUILD})*)?$`

const pattern = new RegExp(VERSION_PATTERN)

export function parseVersion(text: string): Version | undefined {
  if (text.length > VERSION_MAX_LENGTH || !pattern.test(text)) return undefined
  const [withoutBuild = ''] = text.split('+')
  return { text, prerelease: withoutBuild.includes('-') }
}

/** The version behind `<prefix>-` in a tag, less a leading `v`. */
export function versionOfTag(tag: string, prefix: string): Version | undefined {
  const start = `${prefix}-`
  return tag.startsWith(start) ? parseVersion(tag.slice(start.length).replace(/^v/, '')) : undefined
}

/** By precedence, the highest first. Build metadata has none. */
export const newestFirst = (one: Version, other: Version): number =>
  Bun.semver.order(other.text, one.text)
