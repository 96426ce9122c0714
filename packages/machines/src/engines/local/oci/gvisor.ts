import { basename } from 'node:path'
import { runCommand } from '../host/run-command.ts'

/** Whether a runtime is gVisor, whose machines have a kernel and a network of their own. */
export const isGvisor = (command: string): boolean => basename(command) === 'runsc'

/**
 * The oldest release that passes the conformance suite, which is that of Debian 13. The one of Debian 12 has neither
 * subreapers nor signals and end-of-file characters in terminals.
 */
export const oldestGvisor = 20240729

/** From this release on, gVisor recognizes the host's network as Linux 6.11 and later show it. */
const firstForNewKernels = 20240901

/** Returns the date of a release as a number, or undefined if this is not the version of gVisor. */
export function gvisorRelease(version: string): number | undefined {
  const date = /^runsc version \D*(?:0\.0~)?(\d{8})/m.exec(version)?.[1]
  return date === undefined ? undefined : Number(date)
}

export interface GvisorOptions {
  /** The options that precede every command. */
  readonly flags: readonly string[]
  /** The command that precedes the runtime when it starts a machine. */
  readonly wrapper: readonly string[]
}

/**
 * Hides /proc/sys/net from the runtime, in a mount namespace of its own. Older releases take every network namespace
 * for the host's if a file exists there, which Linux 6.11 and later show in all of them. The second proc is needed
 * because the kernel allows a user namespace to mount one only where it can see another one as a whole.
 */
const hideNetwork = [
  'unshare',
  '--mount',
  '--propagation',
  'slave',
  'sh',
  '-c',
  'mount -t tmpfs none /proc/sys/net && mkdir /proc/sys/net/proc && mount -t proc none /proc/sys/net/proc && exec "$0" "$@"',
]

export function gvisorOptions(version: string, help: string): GvisorOptions {
  const release = gvisorRelease(version) ?? oldestGvisor
  return {
    flags: [
      // Not kvm, which would give the sandbox a device of the host.
      '--platform=systrap',
      // The service connects to sockets that programs of the machine bind in folders of the host.
      '--host-uds=all',
      // The disk of the machine keeps and limits what is written, which gVisor's own overlay would hide from it.
      '--overlay2=none',
      // Without this option, sudo has no effect. Releases that do not have it never change the user of a program.
      ...(/^\s+--?allow-suid\b/m.test(help) ? ['--allow-suid'] : []),
    ],
    wrapper: release < firstForNewKernels ? hideNetwork : [],
  }
}

export async function readGvisorOptions(command: string): Promise<GvisorOptions> {
  // The list of options is printed as an error.
  const [version, help] = await Promise.all([
    runCommand(command, ['--version']),
    runCommand('sh', ['-c', '"$0" flags 2>&1', command]),
  ])
  return gvisorOptions(version, help)
}
