import { existsSync } from 'node:fs'
import { runCommand } from './run-command.ts'

export interface DebianPackage {
  readonly name: string
  /** A file whose existence shows that the package is installed. */
  readonly file: string
  readonly why: string
  /** Machines run without this package. */
  readonly isOptional?: boolean
}

/** The Debian packages that the engine needs on the host. */
export const debianPackages: readonly DebianPackage[] = [
  { name: 'runc', file: '/usr/sbin/runc', why: 'runs the machines' },
  { name: 'iproute2', file: '/usr/sbin/ip', why: 'sets up their network' },
  { name: 'nftables', file: '/usr/sbin/nft', why: 'enforces their egress policy' },
  { name: 'e2fsprogs', file: '/usr/sbin/mkfs.ext4', why: 'formats their disks' },
  {
    name: 'xfsprogs',
    file: '/usr/sbin/mkfs.xfs',
    why: 'formats the volume of disks, where the file system of the host cannot clone files',
    isOptional: true,
  },
  { name: 'mount', file: '/usr/bin/mount', why: 'mounts their disks' },
  { name: 'util-linux', file: '/usr/bin/nsenter', why: 'enters network namespaces' },
  {
    name: 'coreutils',
    file: '/usr/sbin/chroot',
    why: 'compiles the guest agent with the Python of the image',
  },
  { name: 'perl-base', file: '/usr/bin/perl', why: 'maps the owners of image files' },
  { name: 'mmdebstrap', file: '/usr/bin/mmdebstrap', why: 'builds images' },
  { name: 'arch-test', file: '/usr/bin/arch-test', why: 'tells mmdebstrap the architecture' },
  {
    name: 'ffmpeg',
    file: '/usr/bin/ffmpeg',
    why: 'encodes video for the live view, and decodes the video of phones',
    isOptional: true,
  },
]

export const missingPackages = (wanted: readonly DebianPackage[] = debianPackages): DebianPackage[] =>
  wanted.filter(({ file }) => !existsSync(file))

export const installCommand = (packages: readonly { readonly name: string }[]): string =>
  `apt-get install --no-install-recommends --yes ${packages.map(({ name }) => name).join(' ')}`

/** Installs the packages that are missing, as tests and the installer do. A lock serializes concurrent calls. */
export async function installMissing(wanted: readonly DebianPackage[] = debianPackages): Promise<void> {
  const missing = missingPackages(wanted)
  if (missing.length === 0) return
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const script = `apt-get update --quiet=2 && ${installCommand(missing)}`
  await runCommand('flock', ['/var/lib/apt/lists', 'sh', '-c', script], { env })
}
