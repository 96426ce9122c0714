import { type CommandLine, type GuestProfile, noBrowserExitCode } from '../contract/guest-profile.ts'
import { debianGuest } from './debian.ts'
import { posixScript } from './posix.ts'
import { windowsGuest } from './windows.ts'
import { powershellScript } from './windows-quoting.ts'

/** The systems that QEMU's guest agent is used in. The agent runs as a service, as the user that administers the system. */
type ConsoleOs = 'linux' | 'windows'

const why = 'The agent in this machine is a service without a desktop, so it cannot open a browser.'

const refuseUrl: Readonly<Record<ConsoleOs, CommandLine>> = {
  linux: posixScript(`echo "$1" >&2; exit ${noBrowserExitCode}`, why),
  windows: powershellScript(`[Console]::Error.WriteLine($args[0]); exit ${noBrowserExitCode}`, why),
}

/**
 * A guest that has QEMU's guest agent and no agent of ours. Which distribution of Linux it is, is not known, so nothing is
 * assumed but a POSIX shell, and no packages are installed.
 */
export function consoleGuest(os: ConsoleOs): GuestProfile {
  const openUrl = () => refuseUrl[os]
  if (os === 'windows')
    return {
      ...windowsGuest({ user: 'SYSTEM' }),
      isConsole: true,
      home: 'C:\\Windows\\System32\\config\\systemprofile',
      administrator: 'SYSTEM',
      openUrl,
      packages: undefined,
    }
  const { archive: _, browser: _none, ...debian } = debianGuest
  return {
    ...debian,
    isConsole: true,
    user: 'root',
    home: '/root',
    shell: {
      name: 'sh',
      login: command => ({ executable: 'sh', args: ['-lc', command] }),
      script: script => posixScript(script),
      interactive: { executable: 'sh', args: [] },
    },
    openUrl,
    packages: undefined,
  }
}
