/** The fields of a pod that the Pod Security Standards restrict. */
export interface PodSpec {
  readonly hostNetwork?: boolean
  readonly hostPID?: boolean
  readonly hostIPC?: boolean
  readonly securityContext?: SecurityContext
  readonly volumes?: readonly object[]
  readonly containers: readonly Container[]
  readonly initContainers?: readonly Container[]
}

export interface Container {
  readonly name: string
  readonly securityContext?: SecurityContext
  readonly ports?: readonly { readonly hostPort?: number }[]
}

interface SecurityContext {
  readonly privileged?: boolean
  readonly allowPrivilegeEscalation?: boolean
  readonly runAsNonRoot?: boolean
  readonly runAsUser?: number
  readonly procMount?: string
  readonly seccompProfile?: { readonly type: string }
  readonly appArmorProfile?: { readonly type: string }
  readonly seLinuxOptions?: {
    readonly type?: string
    readonly user?: string
    readonly role?: string
  }
  readonly sysctls?: readonly { readonly name: string }[]
  readonly capabilities?: {
    readonly add?: readonly string[]
    readonly drop?: readonly string[]
  }
}

const VOLUMES = new Set([
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
])
const SECCOMP = new Set(['RuntimeDefault', 'Localhost'])
const APP_ARMOR = new Set(['RuntimeDefault', 'Localhost'])
const SELINUX_TYPES = new Set(['', 'container_t', 'container_init_t', 'container_kvm_t'])
const SYSCTLS = new Set([
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.ip_unprivileged_port_start',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
])

/** A rule of the profile `restricted`, baseline included. */
export type Rule = (pod: PodSpec) => boolean

const everyContainer =
  (keeps: (container: SecurityContext, pod: SecurityContext) => boolean): Rule =>
  ({ containers, initContainers = [], securityContext: pod = {} }) =>
    [...containers, ...initContainers].every(({ securityContext = {} }) =>
      keeps(securityContext, pod),
    )

const everyContext =
  (keeps: (context: SecurityContext) => boolean): Rule =>
  ({ containers, initContainers = [], securityContext = {} }) =>
    [
      securityContext,
      ...[...containers, ...initContainers].map((one) => one.securityContext),
    ].every((context) => context === undefined || keeps(context))

/** The rules by their names in the standard. */
export const restricted = {
  'Host Namespaces': ({ hostNetwork, hostPID, hostIPC }) =>
    hostNetwork !== true && hostPID !== true && hostIPC !== true,
  'Privileged Containers': everyContainer(({ privileged }) => privileged !== true),
  'Host Ports': ({ containers, initContainers = [] }) =>
    [...containers, ...initContainers].every(({ ports = [] }) =>
      ports.every(({ hostPort = 0 }) => hostPort === 0),
    ),
  AppArmor: everyContext(
    ({ appArmorProfile }) => appArmorProfile === undefined || APP_ARMOR.has(appArmorProfile.type),
  ),
  SELinux: everyContext(
    ({ seLinuxOptions: { type = '', user, role } = {} }) =>
      SELINUX_TYPES.has(type) && !user && !role,
  ),
  '/proc Mount Type': everyContainer(({ procMount = 'Default' }) => procMount === 'Default'),
  Sysctls: everyContext(({ sysctls = [] }) => sysctls.every(({ name }) => SYSCTLS.has(name))),
  'Volume Types': ({ volumes = [] }) =>
    volumes.every((volume) =>
      Object.keys(volume).every((member) => member === 'name' || VOLUMES.has(member)),
    ),
  'Privilege Escalation': everyContainer(
    ({ allowPrivilegeEscalation }) => allowPrivilegeEscalation === false,
  ),
  'Running as Non-root': everyContainer(
    (container, pod) => (container.runAsNonRoot ?? pod.runAsNonRoot) === true,
  ),
  'Running as Non-root user': everyContext(({ runAsUser }) => runAsUser !== 0),
  Seccomp: everyContainer((container, pod) =>
    SECCOMP.has((container.seccompProfile ?? pod.seccompProfile)?.type ?? ''),
  ),
  Capabilities: everyContainer(
    ({ capabilities: { add = [], drop = [] } = {} }) =>
      drop.includes('ALL') && add.every((capability) => capability === 'NET_BIND_SERVICE'),
  ),
} as const satisfies Record<string, Rule>
