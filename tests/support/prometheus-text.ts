/** A sample by its name and labels, sorted: `portico_ready{}`. */
export interface Scrape {
  readonly types: ReadonlyMap<string, string>
  readonly samples: ReadonlyMap<string, number>
  /** The value of the one sample with this name that has all these labels. */
  value(name: string, labels?: Readonly<Record<string, string>>): number | undefined
  /** The labels of every sample of this name. */
  labelsOf(name: string): readonly Readonly<Record<string, string>>[]
}

interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*'
const HEAD = new RegExp(`^# (HELP|TYPE) (${NAME}) (.+)$`)
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(.*)\\})? (\\S+)$`)
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\n"])*)"(?:,|$)/y
const NUMBER = /^(?:[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?|\+Inf|-Inf|NaN)$/
const SUFFIXES = { histogram: /_(?:bucket|sum|count)$/, counter: /$^/, gauge: /$^/ } as const
type Type = keyof typeof SUFFIXES
const isType = (text: string): text is Type => Object.hasOwn(SUFFIXES, text)

/**
 * Parses the text format of Prometheus (0.0.4) strictly: every family contiguous and with help and type, no duplicate sample,
 * consistent histograms.
 */
export function parsePrometheusText(text: string): Scrape {
  if (!text.endsWith('\n')) throw new Error('the last line does not end')
  const types = new Map<string, Type>()
  const samples = new Map<string, Sample>()
  let family = ''
  let helped = ''
  for (const line of text.slice(0, -1).split('\n')) {
    if (line === '') continue
    const [, what, about = '', rest = ''] = HEAD.exec(line) ?? []
    if (what === 'HELP') {
      helped = about
      continue
    }
    if (what === 'TYPE') {
      if (about !== helped) throw new Error(`no help: ${line}`)
      if (types.has(about) || !isType(rest)) throw new Error(`not a type, or twice: ${line}`)
      types.set(about, rest)
      family = about
      continue
    }
    const sample = parseSample(line)
    const type = types.get(family)
    if (type === undefined || sample.name.replace(SUFFIXES[type], '') !== family) {
      throw new Error(`of no family, or of another than ${family}: ${line}`)
    }
    const key = keyOf(sample.name, sample.labels)
    if (samples.has(key)) throw new Error(`twice: ${line}`)
    samples.set(key, sample)
  }
  const all = [...samples.values()]
  for (const [name, type] of types) if (type === 'histogram') checkHistogram(name, all)
  return {
    types,
    samples: new Map([...samples].map(([key, { value }]) => [key, value])),
    value(name, labels = {}) {
      const found = all.filter((sample) => sample.name === name && hasAll(sample.labels, labels))
      if (found.length > 1) throw new Error(`${found.length} samples of ${name} have these labels`)
      return found[0]?.value
    },
    labelsOf: (name) => all.filter((sample) => sample.name === name).map(({ labels }) => labels),
  }
}

function parseSample(line: string): Sample {
  const [, name, list = '', number = ''] = SAMPLE.exec(line) ?? []
  if (name === undefined || !NUMBER.test(number)) throw new Error(`not a sample: ${line}`)
  const labels: Record<string, string> = {}
  LABEL.lastIndex = 0
  while (LABEL.lastIndex < list.length) {
    const [, label, value] = LABEL.exec(list) ?? []
    if (label === undefined || value === undefined || label in labels) {
      throw new Error(`not labels: ${line}`)
    }
    labels[label] = value
  }
  return { name, labels, value: Number(number.replace('Inf', 'Infinity')) }
}

function checkHistogram(name: string, samples: readonly Sample[]): void {
  const counts = samples.filter((sample) => sample.name === `${name}_count`)
  for (const { labels, value } of counts) {
    const buckets = samples.filter(
      (sample) => sample.name === `${name}_bucket` && hasAll(sample.labels, labels),
    )
    const bounds = buckets.map((bucket) => Number(bucket.labels['le']?.replace('Inf', 'Infinity')))
    const isSorted = bounds.every((bound, index) => index === 0 || bound > (bounds[index - 1] ?? 0))
    const isCumulative = buckets.every(
      (bucket, index) => index === 0 || bucket.value >= (buckets[index - 1]?.value ?? 0),
    )
    const last = buckets.at(-1)
    if (!isSorted || !isCumulative || last?.labels['le'] !== '+Inf' || last.value !== value) {
      throw new Error(`${name} does not add up: ${JSON.stringify(labels)}`)
    }
  }
  const buckets = samples.filter((sample) => sample.name === `${name}_bucket`)
  const sums = samples.filter((sample) => sample.name === `${name}_sum`)
  if (sums.length !== counts.length || buckets.length % Math.max(1, counts.length) !== 0) {
    throw new Error(`${name} is not complete`)
  }
}

const hasAll = (
  labels: Readonly<Record<string, string>>,
  wanted: Readonly<Record<string, string>>,
): boolean => Object.entries(wanted).every(([label, value]) => labels[label] === value)

const keyOf = (name: string, labels: Readonly<Record<string, string>>): string =>
  `${name}{${Object.entries(labels)
    .map((pair) => pair.join('='))
    .toSorted()
    .join(',')}}`
