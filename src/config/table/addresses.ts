import { ok } from '../../lib/result.ts'
import { address, integer, list, network, origin, text } from '../../lib/settings/parsers.ts'
import { optionalSetting, setting } from '../../lib/settings/setting.ts'

export const addresses = {
  PUBLIC_URL: setting({
    description:
      'URL at which people and the git host reach this service; decides the cookies and the accepted Host header',
    example: 'https://portal.example.org',
    production: true,
    parse: origin,
  }),
  HOST: setting({
    description: 'Address to listen on',
    fallback: '0.0.0.0',
    parse: address,
  }),
  PORT: setting({
    description: 'Port to listen on',
    fallback: '8080',
    parse: integer(0, 65_535),
  }),
  METRICS_PORT: optionalSetting({
    description:
      'Port of a second listener that answers GET /metrics, for Prometheus. It requires no session: keep it off the public network. Without it there are no metrics',
    example: '9090',
    parse: integer(1, 65_535),
  }),
  ALLOWED_HOSTS: setting({
    description: 'Host headers that are accepted besides the host of PUBLIC_URL',
    example: 'portal.internal:8080',
    fallback: '',
    parse: list(
      text(/^[A-Za-z0-9.[\]:-]{4,255}$/, 'host names, with port if it is not the default'),
    ),
  }),
  UI_ORIGINS: setting({
    description: 'Origins of portal UIs that may make writing requests',
    example: 'https://ui.example.org',
    fallback: '',
    parse: list((given) => {
      const url = origin(given)
      return url.ok ? ok(url.value.origin) : url
    }),
  }),
  TRUSTED_PROXIES: setting({
    description:
      'Addresses and networks of the proxies in front of this service; their X-Forwarded-For is trusted for the address of the client. Without it all clients behind a proxy have its address',
    example: '10.42.0.0/16,2001:db8:42::/48',
    fallback: '',
    parse: list(network),
  }),
} as const
