import { hostAptSources } from '../../../images/apt-sources.ts'
import { gvisorRelease, oldestGvisor } from '../oci/gvisor.ts'
import { runCommand } from './run-command.ts'

/** The Debian release whose package is new enough. Debian 12 has an older one. */
const suite = 'trixie'

/**
 * Downloads the package with a configuration of its own, so that nothing else is ever installed from that release. It
 * needs no other package. $0 is the line of sources.list.
 */
const script = `
set -e
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/lists/partial"
echo "$0" > "$folder/sources.list"
set -- --quiet=2 -o APT::Sandbox::User=root -o Dir::State::Lists="$folder/lists" \\
  -o Dir::Etc::SourceList="$folder/sources.list" -o Dir::Etc::SourceParts=/dev/null \\
  -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache=
apt-get "$@" update
cd "$folder"
apt-get "$@" download runsc
dpkg --install "$folder"/runsc_*.deb
`

/** Whether gVisor is installed in a release that can run machines. */
export async function hasGvisor(command = 'runsc'): Promise<boolean> {
  const version = await runCommand(command, ['--version']).catch(() => '')
  return (gvisorRelease(version) ?? 0) >= oldestGvisor
}

/** Installs gVisor from Debian 13, with the mirror of the host, unless it is installed. */
export async function installGvisor(): Promise<void> {
  if (await hasGvisor()) return
  const [, mirror = ''] = (await hostAptSources()).backports.split(' ')
  const key = '[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]'
  await runCommand('flock', ['/var/lib/apt/lists', 'sh', '-c', script, `deb ${key} ${mirror} ${suite} main`])
}
