import type { CommandLine } from '../contract/guest-profile.ts'

/** Quotes an argument as programs on Windows split their command line: backslashes count before a quotation mark only. */
export function windowsArgument(argument: string): string {
  if (argument !== '' && !/[\s"]/.test(argument)) return argument
  return `"${argument.replaceAll(/(\\*)"/g, '$1$1\\"').replaceAll(/(\\+)$/g, '$1$1')}"`
}

/** The arguments as one command line. */
export function windowsCommandLine(args: readonly string[]): string {
  return args.map(windowsArgument).join(' ')
}

/** Quotes a text for PowerShell, which takes typographic quotation marks for plain ones. */
export function powershellText(text: string): string {
  return `'${text.replaceAll(/['\u2018-\u201b]/g, '$&$&')}'`
}

/**
 * Runs a script. It is passed in base64, because programs on Windows split their own command line and each does it
 * differently.
 */
export function encodedPowershell(script: string, ...options: readonly string[]): CommandLine {
  const encoded = Buffer.from(script, 'utf16le').toString('base64')
  return {
    executable: 'powershell.exe',
    args: ['-NoLogo', '-NonInteractive', ...options, '-EncodedCommand', encoded],
  }
}

/** Runs a script without any profile; its arguments are in `$args`. It prints UTF-8. */
export function powershellScript(script: string, ...args: readonly string[]): CommandLine {
  const whole = `$ErrorActionPreference = 'Stop'
[Console]::OutputEncoding = New-Object System.Text.UTF8Encoding $false
& {
${script}
} ${args.map(powershellText).join(' ')}`
  return encodedPowershell(whole, '-NoProfile')
}
