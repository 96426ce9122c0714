import type { CommandLine, PathStyle } from '../contract/guest-profile.ts'

/** Paths of Linux and Android. */
export const posixPaths: PathStyle = {
  separator: '/',
  isAbsolute: path => path.startsWith('/'),
  join: (folder, name) => (folder.endsWith('/') ? `${folder}${name}` : `${folder}/${name}`),
  isFileName: name => name !== '' && name !== '.' && name !== '..' && !name.includes('/'),
}

/** Runs a script with the shell that every POSIX system has. `$1` and so on are the arguments. */
export function posixScript(script: string, ...args: readonly string[]): CommandLine {
  return { executable: 'sh', args: ['-c', script, ...(args.length > 0 ? ['sh', ...args] : [])] }
}

/** Reads the kernel's process table, which needs no tool that a small image may lack. */
export const listPosixProcesses = posixScript('cat /proc/[0-9]*/cmdline 2>/dev/null | tr "\\0" " "')
