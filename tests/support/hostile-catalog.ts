/** Text that leaves its place, in a page that does not take care. */
export const HOSTILE = {
  markup: '<img src=x onerror=alert(1)>',
  script: '</title></script><script>alert(1)</script>',
  template: '{{7*7}} ${7*7}',
  /** Turns the direction of what follows (Unicode TR 36). */
  turned: 'invoice\u202Egpj.exe',
  /** A terminal would clear the screen. */
  escape: '\u001B[2J\u001B[31mred',
  long: 'x'.repeat(400),
} as const

const quoted = (text: string): string => JSON.stringify(text)

/** An entity whose every free text is hostile. */
const component = `apiVersion: portico/v1
kind: Component
metadata:
  name: hostile
  title: ${quoted(`${HOSTILE.markup} ${HOSTILE.turned}`)}
  description: ${quoted(`${HOSTILE.script} ${HOSTILE.template} ${HOSTILE.escape} ${HOSTILE.long}`)}
  annotations:
    portico/app-path: apps/payments/hostile
    example.org/note: ${quoted(HOSTILE.markup)}
    constructor: __proto__
  tags: [${quoted(HOSTILE.markup)}, __proto__]
  links:
    - { title: Run, url: "javascript:alert(1)" }
    - { title: Open, url: ${quoted('data:text/html,<script>alert(1)</script>')} }
    - { title: ${quoted(HOSTILE.turned)}, url: ${quoted('https://wiki.acme.example/"><script>alert(1)</script>')} }
spec:
  type: ${quoted(HOSTILE.markup)}
  lifecycle: ${quoted(HOSTILE.markup)}
  owner: group:acme/payments
  system: ${quoted(HOSTILE.markup)}
  dependsOn: [${quoted(`resource:${HOSTILE.markup}`)}, component:__proto__]
`

/** Files for the gitops repository of the demo. The commit that has them is in the history of payments-api. */
export const hostileCatalog = {
  'catalog/payments/components/hostile.yaml': component,
  // Messages about broken files quote their keys and values.
  'catalog/payments/components/broken.yaml': `${HOSTILE.markup}: [\n`,
  'catalog/payments/components/doubled.yaml': `apiVersion: portico/v1\n${quoted(HOSTILE.markup)}: 1\n${quoted(HOSTILE.markup)}: 2\n`,
  'apps/payments/payments-api/overlays/dev/kustomization.yaml': (before: string) =>
    before.replace('1.5.0-rc.3', '1.5.0-rc.4'),
}
