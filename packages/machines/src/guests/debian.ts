import type { GuestProfile } from '../contract/guest-profile.ts'
import { apt } from './apt.ts'
import { chromium } from './chromium.ts'
import { listPosixProcesses, posixPaths, posixScript } from './posix.ts'
import { rootArchive } from './root-archive.ts'

const browserFolder = '/home/user/.config/sandglass-browser'

/**
 * Opens the page in the browser that programs drive, if that runs, so that they and people see the same window. Otherwise tries
 * browsers in order of preference; `setsid` lets the browser outlive the script.
 */
const openInBrowser = `profile=${browserFolder}/profile
driver=$(readlink "$profile/SingletonLock")
if tr '\\0' ' ' 2>/dev/null <"/proc/\${driver##*-}/cmdline" | grep -qF -- " --user-data-dir=$profile "; then
  setsid chromium --user-data-dir="$profile" "$1" >/dev/null 2>&1 & exit 0
fi
for browser in x-www-browser chromium firefox dillo xdg-open; do
  command -v "$browser" >/dev/null && { setsid "$browser" "$1" >/dev/null 2>&1 & exit 0; }
done
exit 127`

/** The Debian images that this project builds: the desktops, and the system below the phone simulator. */
export const debianGuest: GuestProfile = {
  os: 'linux',
  user: 'user',
  home: '/home/user',
  administrator: 'root',
  paths: posixPaths,
  shell: {
    name: 'bash',
    login: command => ({ executable: 'bash', args: ['-lc', command] }),
    script: script => posixScript(script),
    interactive: { executable: 'bash', args: ['--norc'] },
  },
  listProcesses: listPosixProcesses,
  openUrl: url => ({ executable: 'bash', args: ['-lc', openInBrowser, 'bash', url] }),
  browser: chromium(browserFolder),
  packages: apt,
  archive: rootArchive,
}
