import { json, log4j, logfmt, request, type Story, website } from './story.ts'

export const shippingStories = {
  'tracking-web': website(8080, ['/', '/parcel/00340434161094042557', '/parcel/JJD000390007892']),
  'returns-portal': {
    ...website(8080, ['/healthz']),
    steady: [
      ({ time }) => `10.42.2.1 - - [${time}] "GET /readyz HTTP/1.1" 503 31 "-" "kube-probe/1.32"`,
    ],
    everyMs: 10_000,
  },
  'shipping-api': {
    boot: [json('info', 'starting shipping-api'), json('info', 'listening on http://0.0.0.0:8080')],
    steady: [
      json('info', 'parcel booked', (moment) => ({
        carrier: moment.pick(['DHX', 'NordPost', 'Velo']),
        ...request(moment),
      })),
      json('info', 'rate quoted', request),
    ],
    everyMs: 4_500,
    last: [],
  },
  'label-printer': {
    boot: [logfmt('INFO', 'starting label-printer')],
    steady: [logfmt('INFO', 'label printed', ({ int }) => `station=${int(1, 14)}`)],
    everyMs: 9_000,
    last: [],
  },
  'wait-for-printers': {
    boot: [() => 'waiting for printers.acme.example:9100'],
    steady: [
      ({ index }) =>
        `printers.acme.example:9100 does not answer (attempt ${index + 1}), next try in 10s`,
    ],
    everyMs: 10_000,
    last: [],
  },
  'carrier-bridge': {
    boot: [
      log4j(
        'INFO',
        'com.acme.carrier.Bridge',
        () => 'polling sftp://files.carrier.example every 30s',
      ),
    ],
    steady: [
      log4j(
        'INFO',
        'com.acme.carrier.Bridge',
        ({ int }) => `${int(0, 6)} files sent, ${int(0, 3)} received`,
      ),
    ],
    everyMs: 30_000,
    last: [],
  },
} as const satisfies Record<string, Story>
