import { chown, mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Files of an image: path in the image, and path on this machine. */
export type FileSet = Readonly<Record<string, string>>
type Variables = Readonly<Record<string, string>>

export interface Sandbox {
  /** Kind of isolation. */
  readonly kind: 'bubblewrap' | 'chroot'
  /** The command that runs the program of an image: without rights, a read-only root, `/data` its own. */
  command(files: FileSet, data: string, variables: Variables, program: readonly string[]): string[]
}

const NOBODY = 65_532

const words = (text: string): readonly string[] => text.split(' ')

const BUBBLEWRAP = words(
  `bwrap --unshare-user --unshare-pid --unshare-ipc --unshare-uts --as-pid-1 --uid ${NOBODY} --gid ${NOBODY} --cap-drop ALL --die-with-parent --new-session --clearenv`,
)

/** Runs the program as the first process of a new user namespace, as in a container. */
const bubblewrap: Sandbox = {
  kind: 'bubblewrap',
  command: (files, data, variables, program) => [
    ...BUBBLEWRAP,
    ...Object.entries(variables).flatMap(([name, value]) => ['--setenv', name, value]),
    ...Object.entries(files).flatMap(([inside, outside]) => ['--ro-bind', outside, inside]),
    ...words('--proc /proc --dev /dev --bind'),
    data,
    ...words('/data --remount-ro / --chdir /'),
    ...program,
  ],
}

/** For machines that forbid user namespaces and run the tests as root. */
const CHROOT = `
set -e
root=$1 data=$2; shift 2
mount -t tmpfs none "$root"
while [ "$1" != -- ]; do
  mkdir -p "$root\${1%/*}"; : >"$root$1"; mount --bind "$2" "$root$1"; mount -o remount,ro,bind "$root$1"
  shift 2
done
shift
mkdir "$root/proc" "$root/dev" "$root/data"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount --bind "$data" "$root/data"
mount -o remount,ro "$root"
cd /
exec env -i "$@"
`
const UNSHARE = words('unshare --mount --pid --ipc --uts --fork --kill-child sh -c')

const chroot: Sandbox = {
  kind: 'chroot',
  command: (files, data, variables, program) => {
    const root = join(data, '..', 'root')
    const mounts = [root, data, ...Object.entries(files).flat(), '--']
    return [
      ...UNSHARE,
      CHROOT,
      'sh',
      ...mounts,
      ...Object.entries(variables).map(([name, value]) => `${name}=${value}`),
      '/usr/sbin/chroot',
      `--userspec=${NOBODY}:${NOBODY}`,
      root,
      ...program,
    ]
  },
}

/** The first kind that this machine permits; prints the reason when there is none. */
export async function findSandbox(): Promise<Sandbox | null> {
  const permits = async (...command: string[]) =>
    Bun.which(command[0] ?? '') !== null &&
    (await Bun.spawn(command, { stdout: 'ignore', stderr: 'ignore' }).exited) === 0
  if (await permits('bwrap', '--unshare-user', '--unshare-pid', '--ro-bind', '/', '/', 'true')) {
    return bubblewrap
  }
  if (
    await permits('unshare', '--mount', '--pid', '--fork', 'mount', '-t', 'tmpfs', 'none', '/mnt')
  ) {
    return chroot
  }
  console.log('neither bubblewrap nor chroot is permitted here: no image is exercised')
  return null
}

/** A folder for `/data`, owned by the user of the program. */
export async function openDataFolder(sandbox: Sandbox) {
  const folder = await mkdtemp(join(tmpdir(), 'portico-image-'))
  const data = join(folder, 'data')
  await Bun.$`mkdir ${data} ${join(folder, 'root')} && chmod 755 ${folder}`.quiet()
  return {
    path: data,
    async handOver() {
      if (sandbox.kind === 'bubblewrap') return
      await chown(data, NOBODY, NOBODY)
      await Bun.$`chown -R ${NOBODY}:${NOBODY} ${data}`.quiet()
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

/** The libraries that a program is linked with, by the path at which its loader looks for them. */
export async function librariesOf(program: string): Promise<FileSet> {
  const list = await Bun.$`ldd ${program}`.text()
  const paths = [...list.matchAll(/(?:=> |^\s*)(\/\S+) \(/gm)].map(([, path = '']) => path)
  return Object.fromEntries(
    await Promise.all(paths.map(async (path) => [path, await realpath(path)] as const)),
  )
}

/** Every file below a folder, at the same place below the root. A link is the file that it leads to. */
export async function filesBelow(folder: string): Promise<FileSet> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => !entry.isDirectory())
  return Object.fromEntries(
    await Promise.all(
      files.map(async ({ parentPath, name }) => {
        const path = join(parentPath, name)
        return [path.slice(folder.length), await realpath(path)] as const
      }),
    ),
  )
}

/** The process in a sandbox: the only child of the one that created it. */
export async function insideOf(pid: number): Promise<number> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
  const [child, ...others] = children.trim().split(' ')
  if (!child || others.length > 0) throw new Error(`not one child: ${children}`)
  return Number(child)
}
