import { once } from 'node:events'
import type { AdbLink } from '../../adb/adb-link.ts'
import { quote } from '../../adb/device-shell.ts'
import { startShell } from './shell-process.ts'

/** A program that makes new ones as fast as they are ended is not fought for ever. */
const rounds = 50

/** Ends every process with this in its environment; a process that is gone, or somebody else's, is none. */
export async function sweep(link: AdbLink, variable: string, value: string): Promise<void> {
  const script = `i=0; while [ $i -lt ${rounds} ] && l=$(${listing(variable, value)}) && [ -n "$l" ]
do i=$((i+1)); for f in $l; do f=\${f%/environ}; kill -9 "\${f#/proc/}" 2>/dev/null; done; done`
  await run(link, script)
}

/** Whether there is a process with this in its environment. */
export async function isLeft(link: AdbLink, variable: string, value: string): Promise<boolean> {
  return (await run(link, `[ -n "$(${listing(variable, value)})" ]`)) === 0
}

export async function run(link: AdbLink, script: string): Promise<number> {
  const shell = await startShell(link, script)
  for (const output of [shell.stdout, shell.stderr]) output.resume()
  try {
    return await shell.exited
  } finally {
    shell.close()
    await Promise.all([shell.stdout, shell.stderr].map(output => output.closed || once(output, 'close')))
  }
}

/** `grep` fails where it may not read somebody else's, whatever it found. */
const listing = (variable: string, value: string) =>
  `grep -ls ${quote(`${variable}=${value}`)} /proc/[0-9]*/environ 2>/dev/null || :`
