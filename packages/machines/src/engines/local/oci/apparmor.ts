import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runCommand } from '../host/run-command.ts'

export const profileName = 'sandglass-machine'
/** The profile of what runs beside QEMU, which is given a socket for frames of its guest. */
export const vmProfileName = 'sandglass-vm'

export type ProfileName = typeof profileName | typeof vmProfileName

/**
 * What processes of machines may do, in terms of AppArmor. It repeats what the namespaces, the capabilities and the
 * seccomp filter enforce, for the case that one of them fails: no mounts, no writes to the kernel's own files, and
 * nothing to do with processes outside of machines. Capabilities are not restricted here, because a browser has all of
 * them in the user namespaces of its own sandbox.
 */
export const apparmorProfile = (name: ProfileName = profileName): string => `
#include <tunables/global>
profile ${name} flags=(attach_disconnected,mediate_deleted) {
  capability,
  file,
  network inet,
  network inet6,
  network unix,
  network netlink,${name === vmProfileName ? '\n  network packet,' : ''}
  unix,
  signal (send, receive) peer=${name},
  signal (receive) peer=unconfined,
  ptrace (read, trace, readby, tracedby) peer=${name},
  deny mount,
  deny remount,
  deny umount,
  deny pivot_root,
  deny @{PROC}/sys/** wklx,
  deny @{PROC}/sysrq-trigger rwklx,
  deny @{PROC}/kcore rwklx,
  deny @{PROC}/kmem rwklx,
  deny /sys/** wklx,
  deny /sys/kernel/security/** rwklx,
}
`

/** `absent`: the host has no AppArmor. `no parser`: it has, but profiles cannot be loaded. */
export type ApparmorSupport = 'usable' | 'absent' | 'no parser'

/** `root` stands in for the root of the host in tests. */
export async function apparmorSupport(root = '/'): Promise<ApparmorSupport> {
  const enabled = await readFile(join(root, 'sys/module/apparmor/parameters/enabled'), 'utf8').catch(() => '')
  if (enabled.trim() !== 'Y' || !existsSync(join(root, 'sys/kernel/security/apparmor/profiles')))
    return 'absent'
  return existsSync(join(root, 'usr/sbin/apparmor_parser')) ? 'usable' : 'no parser'
}

/**
 * Loads the profile where the host supports it, and returns its name. Without it, machines start all the same, because
 * it is a wall behind other walls; doctor reports why.
 */
export async function loadApparmorProfile(name: ProfileName = profileName): Promise<string | undefined> {
  if ((await apparmorSupport()) !== 'usable') return undefined
  return await runCommand('apparmor_parser', ['--replace', '--skip-cache'], {
    input: apparmorProfile(name),
  }).then(
    () => name,
    () => undefined,
  )
}
