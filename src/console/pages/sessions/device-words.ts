/** More specific names first: Edge and Opera say Chrome as well, and Chrome says Safari. */
const PROGRAMS: readonly (readonly [RegExp, string])[] = [
  [/Edg(?:A|iOS)?\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrom(?:e|ium)\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
  [/^curl\//, 'curl'],
]

/** Phones say `Linux` and `Mac OS X` as well. */
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/Android/, 'Android'],
  [/iPhone/, 'an iPhone'],
  [/iPad/, 'an iPad'],
  [/Windows/, 'Windows'],
  [/Mac OS X|Macintosh/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
]

const found = (table: typeof PROGRAMS, text: string): string | undefined =>
  table.find(([pattern]) => pattern.test(text))?.[1]

/** `Firefox on Linux`. A client may send anything: text without a known name is shown as it is. */
export function deviceWords(userAgent: string | null): string {
  const text = userAgent ?? ''
  const [program, system] = [found(PROGRAMS, text), found(SYSTEMS, text)]
  if (program === undefined)
    return system === undefined ? text || 'Unknown program' : `A program on ${system}`
  return system === undefined ? program : `${program} on ${system}`
}
