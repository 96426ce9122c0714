import type { FileInstallTool } from '../contract/guest-profile.ts'

const options = [
  // Without sources, apt uses only the files that it is given and asks no mirror.
  'Dir::Etc::sourcelist=/dev/null',
  'Dir::Etc::sourceparts=/dev/null',
  // The user may be running apt at the same time.
  'DPkg::Lock::Timeout=120',
  'Dpkg::Options::=--force-confold',
  'Dpkg::Options::=--force-unsafe-io',
  'APT::Install-Recommends=false',
  'APT::Status-Fd=1',
].flatMap(option => ['-o', option])

/** Installs Debian packages from files, without a network. */
export const apt: FileInstallTool = {
  name: 'apt',
  installs: 'files',
  folder: '/var/cache/sandglass',
  installedList: '/var/lib/dpkg/status',
  env: { DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C.UTF-8' },
  install: paths => ({ executable: 'apt-get', args: [...options, '--yes', 'install', ...paths] }),
  progressOf(stdout) {
    const percent = [...stdout.matchAll(/^pmstatus:[^:\n]*:([\d.]+):/gm)].at(-1)?.[1]
    return percent === undefined ? undefined : Math.round(Number(percent))
  },
  complaintOf: (_stdout, stderr) => /^E: .*$/m.exec(stderr)?.[0] ?? stderr.trim().split('\n').at(-1),
}
