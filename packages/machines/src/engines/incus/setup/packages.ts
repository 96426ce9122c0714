import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { hostAptSources } from '../../../images/apt-sources.ts'
import { type DebianPackage, installMissing, missingPackages } from '../../local/host/debian-packages.ts'

const incus = 'incus-base'

/** The Debian packages that a member needs. */
export const memberPackages: readonly DebianPackage[] = [
  { name: incus, file: '/usr/libexec/incus/incusd', why: 'runs the member' },
  { name: 'lxcfs', file: '/usr/bin/lxcfs', why: 'shows machines their own limits' },
  { name: 'btrfs-progs', file: '/usr/bin/btrfs', why: 'makes disks that can be cloned' },
  // Incus asks for its version before it makes a bridge, also one that has no use for it.
  { name: 'dnsmasq-base', file: '/usr/sbin/dnsmasq', why: 'is required for bridges' },
  { name: 'nftables', file: '/usr/sbin/nft', why: 'enforces the egress policy of machines' },
  { name: 'iproute2', file: '/usr/sbin/ip', why: 'sets up their network' },
]

/** The release of Debian that has Incus only in its backports. Later ones have it themselves. */
const releaseWithout = 'bookworm'
const sourceFile = `/etc/apt/sources.list.d/${releaseWithout}-backports.list`
const key = '[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]'

/**
 * Installs what a member needs, from Debian. On bookworm the backports are added to the sources for good, so that Incus
 * gets its updates. apt takes nothing else from there by itself.
 */
export async function installIncus(tell: (line: string) => void): Promise<void> {
  const missing = missingPackages(memberPackages)
  if (missing.length === 0) return
  const { suite, lines, backports } = await hostAptSources()
  const isLate = suite === releaseWithout
  if (isLate && !lines.some(line => line.includes(` ${suite}-backports `))) {
    await writeFile(sourceFile, `${backports.replace('deb ', `deb ${key} `)}\n`)
    tell(`Added ${suite}-backports, which has Incus, to the sources of apt (${sourceFile}).`)
  }
  tell(`Installing ${missing.map(({ name }) => name).join(', ')}.`)
  await installMissing(
    missing.map(one =>
      isLate && one.name === incus ? { ...one, name: `${incus}/${suite}-backports` } : one,
    ),
  )
}

/** Whether systemd runs this host. */
export const hasSystemd = (): boolean => existsSync('/run/systemd/system')
