import type { GuestProfile } from '../contract/guest-profile.ts'
import { listPosixProcesses, posixPaths, posixScript } from './posix.ts'

/** The activity manager hands the URL to the default browser, and fails if no app accepts it. */
const viewUrl = 'am start -a android.intent.action.VIEW -d "$1" >/dev/null 2>&1 || exit 127'

/**
 * A phone that is reached over ADB. Android has `sh` and no bash, and ADB acts as one user who cannot become root, so no
 * packages are installed. Which user that is, and where it may write, differs between devices.
 */
export function androidGuest({ user, home }: Pick<GuestProfile, 'user' | 'home'>): GuestProfile {
  return {
    os: 'android',
    user,
    home,
    administrator: undefined,
    paths: posixPaths,
    shell: {
      name: 'sh',
      login: command => ({ executable: 'sh', args: ['-lc', command] }),
      script: script => posixScript(script),
      interactive: { executable: 'sh', args: [] },
    },
    listProcesses: listPosixProcesses,
    openUrl: url => posixScript(viewUrl, url),
    packages: undefined,
  }
}
