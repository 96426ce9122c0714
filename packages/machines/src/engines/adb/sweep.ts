import { once } from 'node:events'
import type { AdbLink } from '../../adb/adb-link.ts'
import { quote } from '../../adb/device-shell.ts'
import { startShell } from './shell-process.ts'

/** Gives up after this many rounds on a program that starts processes as fast as they are killed. */
const maxRounds = 50

/**
 * Kills every process that has this variable in its environment. Processes whose environment cannot be read are not
 * ours.
 */
export async function sweep(link: AdbLink, variable: string, value: string): Promise<void> {
  const script = `i=0; while [ $i -lt ${maxRounds} ] && l=$(${listing(variable, value)}) && [ -n "$l" ]
do i=$((i+1)); for f in $l; do f=\${f%/environ}; kill -9 "\${f#/proc/}" 2>/dev/null; done; done`
  await run(link, script)
}

/** Returns whether any process has this variable in its environment. */
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

/** `grep` also fails if it cannot read the environment of another user's process, so its exit code is ignored. */
const listing = (variable: string, value: string) =>
  `grep -ls ${quote(`${variable}=${value}`)} /proc/[0-9]*/environ 2>/dev/null || :`
