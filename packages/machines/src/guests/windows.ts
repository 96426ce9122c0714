import type { CommandLine, GuestProfile, PathStyle } from '../contract/guest-profile.ts'
import { encodedPowershell } from './windows-quoting.ts'
import { winget } from './winget.ts'

/** Names of devices, with any extension and in every folder. */
const devices = /^(?:con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)(?:\.|$)/i

const paths: PathStyle = {
  separator: '\\',
  isAbsolute: path => /^(?:[A-Za-z]:[\\/]|\\\\)/.test(path),
  join: (folder, name) => (/[\\/]$/.test(folder) ? `${folder}${name}` : `${folder}\\${name}`),
  // Windows drops trailing dots and spaces, so `... ` would mean the folder itself.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: Windows allows none of them in a name.
  isFileName: name => /^[^<>:"/\\|?*\0-\x1f]+$/.test(name) && !/[. ]$/.test(name) && !devices.test(name),
}

/** PowerShell would exit with 0 or 1; the last line passes on the exit code of the last program. */
function powershell(script: string, ...options: readonly string[]): CommandLine {
  return encodedPowershell(`${script}\nif ($null -ne $LASTEXITCODE) { exit $LASTEXITCODE }`, ...options)
}

/** rundll32 takes quotation marks around its argument for a part of it, so the URL must not need any. */
function unquoted(url: string): string {
  return url.replaceAll(/[\s"\\]/g, encodeURIComponent)
}

/**
 * Windows 10 and later. **Nothing here was ever run on Windows**: its tests check command lines only, with the rules by
 * which Windows splits them. The QEMU engine can start such a machine from an image of the operator; whoever does so first
 * should expect to fix something.
 */
export function windowsGuest({ user }: Pick<GuestProfile, 'user'>): GuestProfile {
  return {
    os: 'windows',
    user,
    home: `C:\\Users\\${user}`,
    administrator: 'Administrator',
    paths,
    shell: {
      name: 'PowerShell',
      login: command => powershell(command),
      script: script => powershell(script, '-NoProfile'),
      interactive: { executable: 'powershell.exe', args: ['-NoLogo', '-NoProfile'] },
    },
    listProcesses: powershell(
      'Get-CimInstance Win32_Process | ForEach-Object { $_.CommandLine }',
      '-NoProfile',
    ),
    // Not `cmd /c start`, which would take an & in the URL for the end of the command.
    openUrl: url => ({ executable: 'rundll32.exe', args: ['url.dll,FileProtocolHandler', unquoted(url)] }),
    packages: winget,
  }
}
