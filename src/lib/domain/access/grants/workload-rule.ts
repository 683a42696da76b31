import { type EnvironmentName, Label } from '../../../names.ts'
import { parseIssuer } from '../../../text/issuer-url.ts'
import { isObject, parseJson } from '../../../text/json.ts'
import { ok, type Result } from '../../../result.ts'
import type { WorkloadIssuer } from '../../../ports/workload-tokens.ts'
import { type FileMistake, parseEntries, type ReadFile } from '../../../yaml/strict-file.ts'
import {
  fault,
  line,
  listOf,
  mappingOf,
  optional,
  type Reader,
  required,
  textAs,
  textByName,
} from '../../../yaml/strict-reader.ts'
import { isScope, type Scope } from './scope.ts'

/** Which jobs of a CI system may act for a team, and what they may do. */
export interface WorkloadRule extends WorkloadIssuer {
  readonly name: Label
  /** The one audience of its tokens. */
  readonly audience: string
  /** Claims that a token must have, compared exactly as text. */
  readonly claims: Readonly<Record<string, string>>
  readonly team: Label
  /** Whether it acts as a manager of the team. */
  readonly isManager: boolean
  readonly scopes: readonly Scope[]
  /** Environments that it may promote and release to; `null`: all. */
  readonly environments: readonly string[] | null
  readonly minutes: number
}

const CLAIMS_MAX = 20
const SCOPES_MAX = 20
const ENVIRONMENTS_MAX = 50
const MINUTES_DEFAULT = 15
const MINUTES_MAX = 60

export interface WorkloadRuleSettings {
  readonly readFile: ReadFile
  /** The portal's own, which is the audience unless a rule says another. */
  readonly origin: string
  /** The environments of the installation. */
  readonly environments: readonly EnvironmentName[]
  readonly platformGroup: string
}

/** Reads `WORKLOADS_FILE`, or reports everything that is wrong with it. */
export const parseWorkloadRules = (
  text: string,
  settings: WorkloadRuleSettings,
): Result<readonly WorkloadRule[], readonly FileMistake[]> =>
  parseEntries(text, { list: 'workloads', key: 'name', entry: rule(settings) })

const rule = ({
  readFile,
  origin,
  environments: known,
  platformGroup,
}: WorkloadRuleSettings): Reader<WorkloadRule> =>
  mappingOf({
    name: required('name', label),
    issuer: required('issuer', issuerUrl),
    keySet: optional('keySetFile', keySetIn(readFile), null),
    audience: optional('audience', line, origin),
    claims: required('claims', exactClaims),
    team: required('team', teamOtherThan(platformGroup)),
    isManager: optional('manager', flag, false),
    scopes: required('scopes', atLeastOne(listOf(workloadScope, SCOPES_MAX))),
    environments: optional('environments', listOf(environment(known), ENVIRONMENTS_MAX), null),
    minutes: optional('minutes', lifetime, MINUTES_DEFAULT),
  })

const label = textAs((text) => Label.parse(text), 'must be a DNS-1123 label')

/** The platform group acts for every team, and a rule is for one. */
const teamOtherThan = (platformGroup: string): Reader<Label> =>
  textAs(
    (text) => (text === platformGroup ? undefined : Label.parse(text)),
    'must be a team, as a DNS-1123 label; the platform group is none',
  )

const issuerUrl = textAs(
  (text) => (parseIssuer(text) === undefined ? undefined : text),
  'must be an https URL, the `issuer` of the tokens',
)

const keySetIn =
  (readFile: ReadFile): Reader<string> =>
  (value, at) => {
    const path = line(value, at)
    if (!path.ok) return path
    const file = readFile(path.value)
    if (!file.ok) return fault(at, `cannot be read: ${file.error}`)
    const keySet = parseJson(file.value)
    const keys = isObject(keySet) && Array.isArray(keySet['keys']) ? keySet['keys'] : []
    if (keys.length === 0) return fault(at, 'must be a key set (JSON with `keys`, RFC 7517)')
    // A private key would let every reader of the file sign as the issuer.
    return keys.every(isPublicKey)
      ? ok(file.value)
      : fault(at, 'must have public keys alone, and one of these signs')
  }

/** A key without the private members of RFC 7518 §6. */
const isPublicKey = (key: unknown): boolean => isObject(key) && !('d' in key) && !('k' in key)

const atLeastOne =
  <Item>(list: Reader<readonly Item[]>): Reader<readonly Item[]> =>
  (value, at) => {
    const read = list(value, at)
    return read.ok && read.value.length === 0 ? fault(at, 'must have at least one item') : read
  }

/** Subjects of GitHub and GitLab begin with the name of the repository, which somebody else can take after a renaming. */
const NAMED_SUBJECT = /^(?:repo|project_path):/

/**
 * Claims must name one repository or account, and a run that only people with rights can start: an environment, a protected branch or
 * tag, or a service account of Kubernetes. Otherwise a pull request of a fork would do.
 */
const exactClaims: Reader<Readonly<Record<string, string>>> = (value, at) => {
  const texts = textByName(CLAIMS_MAX)(value, at)
  if (!texts.ok) return texts
  const { value: claims } = texts
  const { sub, environment, ref, ref_protected: isProtected, ref_type: type } = claims
  const id = claims['repository_id'] ?? claims['project_id'] ?? sub
  if (id === undefined || NAMED_SUBJECT.test(id)) {
    return fault(at, 'must have repository_id, project_id, or a sub that names no repository')
  }
  if (Object.values(claims).includes('')) return fault(at, 'must have no empty text')
  const isServiceAccount = sub?.startsWith('system:serviceaccount:') === true
  if (environment !== undefined || isServiceAccount) return texts
  if (ref === undefined || isProtected !== 'true') {
    return fault(at, 'must have environment, or ref with ref_protected: "true"')
  }
  return ref.startsWith('refs/') || type !== undefined
    ? texts
    : fault(at, 'must have ref_type: branch or tag beside a ref that does not begin with refs/')
}

const flag: Reader<boolean> = (value, at) =>
  typeof value === 'boolean' ? ok(value) : fault(at, 'must be true or false')

/** Clusters know people alone, by tokens that a job has not. */
const workloadScope: Reader<Scope> = textAs(
  (text) => (isScope(text) && !text.startsWith('clusters:') ? text : undefined),
  'must be a scope other than those of clusters',
)

const environment = (known: readonly EnvironmentName[]): Reader<string> =>
  textAs(
    (text) => known.find((name) => name === text),
    `must be an environment: ${known.join(', ')}`,
  )

const lifetime: Reader<number> = (value, at) =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MINUTES_MAX
    ? ok(value)
    : fault(at, `must be a whole number from 1 to ${MINUTES_MAX}`)
