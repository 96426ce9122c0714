import type { CommandLine, GuestProfile, PathStyle } from '../contract/guest-profile.ts'
import { winget } from './winget.ts'

const paths: PathStyle = {
  separator: '\\',
  isAbsolute: path => /^(?:[A-Za-z]:[\\/]|\\\\)/.test(path),
  join: (folder, name) => (/[\\/]$/.test(folder) ? `${folder}${name}` : `${folder}\\${name}`),
  // Windows drops trailing dots and spaces, so `... ` would mean the folder itself.
  isFileName: name => /^[^<>:"/\\|?*]+$/.test(name) && !/[. ]$/.test(name),
}

/**
 * A script is passed in base64, because programs on Windows split their own command line and each does it differently.
 * PowerShell would exit with 0 or 1; the last line passes on the exit code of the last program.
 */
function powershell(script: string, ...options: readonly string[]): CommandLine {
  const whole = `${script}\nif ($null -ne $LASTEXITCODE) { exit $LASTEXITCODE }`
  const encoded = Buffer.from(whole, 'utf16le').toString('base64')
  return {
    executable: 'powershell.exe',
    args: ['-NoLogo', '-NonInteractive', ...options, '-EncodedCommand', encoded],
  }
}

/**
 * Windows 10 and later. **No engine of this project makes Windows machines, and nothing here was ever run on Windows**:
 * its unit tests compare command lines only. It shows that callers depend on the profile and not on Linux; whoever adds
 * an engine for Windows machines has to pass the conformance suite with it.
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
    openUrl: url => ({ executable: 'rundll32.exe', args: ['url.dll,FileProtocolHandler', url] }),
    packages: winget,
  }
}
