/** The parts of a release for tools that look for vulnerabilities and licences: CycloneDX 1.6, ECMA-424. */
import type { LicensedPackage } from './contents.ts'
import type { Origin } from './origin.ts'

export interface ReleaseContents {
  readonly version: string
  readonly licence: string
  readonly origin: Origin
  /** By their keys in the lock. */
  readonly packages: ReadonlyMap<string, LicensedPackage>
  /** Keys of Portico's own dependencies. */
  readonly direct: readonly string[]
  /** Bun for each target, all of one version. */
  readonly buns: readonly LicensedPackage[]
}

/** The same contents make the same document. */
export function sbomOf({ version, licence, origin, packages, direct, buns }: ReleaseContents) {
  const inside = (keys: readonly string[]) =>
    [...new Set(keys.flatMap((key) => packages.get(key) ?? []).map(purlOf))].toSorted()
  const bun = bunOf(buns)
  const libraries = new Map([...packages.values()].map((each) => [purlOf(each), each]))
  const document = {
    metadata: {
      timestamp: origin.committedAt.toISOString(),
      lifecycles: [{ phase: 'build' }],
      tools: { components: [{ type: 'application', name: 'scripts/release.ts', version }] },
      component: {
        type: 'application',
        'bom-ref': 'portico',
        name: 'portico',
        version,
        licenses: licensesOf(licence),
        properties: [{ name: 'portico:commit', value: origin.commit }],
      },
    },
    components: [
      bun,
      ...[...libraries.values()].map((each) => componentOf(each, 'library')).toSorted(byReference),
    ],
    dependencies: [
      { ref: 'portico', dependsOn: [bun['bom-ref'], ...inside(direct)] },
      ...dependenciesOf(packages, inside),
    ],
  }
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${Bun.randomUUIDv5(JSON.stringify(document), 'oid')}`,
    version: 1,
    ...document,
  }
}

const byReference = (a: { 'bom-ref': string }, b: { 'bom-ref': string }) =>
  a['bom-ref'] < b['bom-ref'] ? -1 : 1

/** A package that is installed twice in one version is one component with the dependencies of both. */
function dependenciesOf(
  packages: ReleaseContents['packages'],
  inside: (keys: readonly string[]) => readonly string[],
) {
  const byPurl = Map.groupBy(packages.values(), purlOf)
  return [...byPurl.keys()].toSorted().map((purl) => ({
    ref: purl,
    dependsOn: inside((byPurl.get(purl) ?? []).flatMap(({ needs }) => needs)),
  }))
}

/** https://github.com/package-url/purl-spec/blob/main/types-doc/npm-definition.md */
const purlOf = ({ name, version }: Pick<LicensedPackage, 'name' | 'version'>): string =>
  `pkg:npm/${name.replace('@', '%40')}@${version}`

const componentOf = (each: LicensedPackage, type: 'library' | 'platform') => ({
  type,
  'bom-ref': purlOf(each),
  name: each.name,
  version: each.version,
  purl: purlOf(each),
  hashes: [{ alg: 'SHA-512', content: hexOf(each.integrity) }],
  licenses: licensesOf(each.licence),
})

/** Vulnerabilities are filed under `bun`; the digests are those of the packages with its programs. */
function bunOf(buns: ReleaseContents['buns']) {
  const { version = '', licence = '' } = buns[0] ?? {}
  const purl = purlOf({ name: 'bun', version })
  return {
    type: 'platform',
    'bom-ref': purl,
    name: 'bun',
    version,
    purl,
    licenses: licensesOf(licence),
    components: buns.map((each) => componentOf(each, 'platform')).toSorted(byReference),
  }
}

const hexOf = (integrity: string): string =>
  Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex')

const licensesOf = (licence: string) =>
  /^[\w.+-]+$/.test(licence) ? [{ license: { id: licence } }] : [{ expression: licence }]
