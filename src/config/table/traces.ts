import { flag, oneOf, text } from '../../lib/settings/parsers.ts'
import { optionalSetting, setting } from '../../lib/settings/setting.ts'
import { err, ok, type Result } from '../../lib/result.ts'

/** Variables of the OpenTelemetry specification, for which an empty value is none. */
export const traces = {
  OTEL_EXPORTER_OTLP_ENDPOINT: optionalSetting({
    description:
      'Address of an OpenTelemetry collector that takes OTLP over HTTP; traces go to `v1/traces` below it. Without it nothing is traced',
    example: 'http://otel-collector.monitoring.svc:4318',
    parse: collector,
  }),
  OTEL_EXPORTER_OTLP_HEADERS: setting({
    description:
      'Headers of requests to the collector, as name=value, separated by commas; values may be percent-encoded',
    example: 'authorization=Bearer%20…',
    fallback: '',
    secret: true,
    parse: headers,
  }),
  OTEL_SERVICE_NAME: optionalSetting({
    description:
      'Name of the service in traces; without it `service.name` of the attributes, or portico',
    example: 'portico-staging',
    parse: text(/^[\x20-\x7e]{1,200}$/, 'up to 200 characters'),
  }),
  OTEL_RESOURCE_ATTRIBUTES: setting({
    description: 'Further attributes of the service in traces, as name=value, separated by commas',
    example: 'deployment.environment.name=staging',
    fallback: '',
    parse: pairs,
  }),
  OTEL_TRACES_SAMPLER: setting({
    description:
      'Which requests are traced. With `parentbased` a request that belongs to a trace is traced as that trace is, and the rest of the name is for the others',
    example: 'parentbased_traceidratio',
    fallback: 'parentbased_always_on',
    parse: unlessEmpty(
      'parentbased_always_on',
      oneOf(
        'parentbased_always_on',
        'parentbased_always_off',
        'parentbased_traceidratio',
        'always_on',
        'always_off',
        'traceidratio',
      ),
    ),
  }),
  OTEL_TRACES_SAMPLER_ARG: setting({
    description: 'Share of requests that `traceidratio` traces, from 0 to 1',
    example: '0.1',
    fallback: '1',
    parse: unlessEmpty('1', share),
  }),
  OTEL_SDK_DISABLED: setting({
    description: 'Whether nothing is traced, whatever the other settings say',
    example: 'true',
    fallback: 'false',
    parse: unlessEmpty('false', flag),
  }),
} as const

function unlessEmpty<Value>(fallback: string, parse: (input: string) => Result<Value, string>) {
  return (input: string) => parse(input === '' ? fallback : input)
}

function collector(input: string): Result<URL, string> {
  const url = URL.parse(input)
  const isAddress =
    url !== null &&
    (url.protocol === 'https:' || url.protocol === 'http:') &&
    url.href === `${url.origin}${url.pathname}`
  return isAddress ? ok(url) : err('must be an http or https URL without a query or a password')
}

/** Names and values in the format of W3C Baggage, with spaces in values too: Grafana Cloud shows `Authorization=Basic …`. */
function pairs(input: string): Result<Readonly<Record<string, string>>, string> {
  const found: Record<string, string> = {}
  for (const pair of input.split(',').filter((each) => each.trim() !== '')) {
    const [, name, value] =
      /^\s*([\w.!#$&'*+^`|~-]+)\s*=\s*((?:[\x20-\x7e]*[\x21-\x7e])?)\s*$/.exec(pair) ?? []
    if (name === undefined || value === undefined) {
      return err('must be name=value, separated by commas')
    }
    try {
      found[name] = decodeURIComponent(value)
    } catch {
      return err('has a value whose percent-encoding is wrong')
    }
  }
  return ok(found)
}

function headers(input: string): Result<Readonly<Record<string, string>>, string> {
  const found = pairs(input)
  if (!found.ok) return found
  try {
    return ok(new Headers(found.value).toJSON())
  } catch {
    return err('has a name or a value that no header of HTTP may have')
  }
}

function share(input: string): Result<number, string> {
  return /^(?:0(?:\.\d{1,9})?|1(?:\.0{1,9})?)$/.test(input)
    ? ok(Number(input))
    : err('must be a number from 0 to 1')
}
