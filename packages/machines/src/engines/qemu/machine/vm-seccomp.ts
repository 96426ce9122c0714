import type { OciSeccomp, OciSyscallRule } from '../../local/oci/oci-types.ts'
import { seccompProfile } from '../../local/oci/seccomp.ts'

/** What programs on a desktop need, and neither QEMU nor the relay does. */
const unneeded: ReadonlySet<string> = new Set([
  ...['unshare', 'clone', 'clone3', 'chroot', 'mknod', 'mknodat', 'sethostname', 'name_to_handle_at'],
  ...['ptrace', 'process_vm_readv', 'process_vm_writev', 'pidfd_getfd', 'memfd_secret'],
  ...['landlock_add_rule', 'landlock_create_ruleset', 'landlock_restrict_self', 'socket', 'personality'],
])

const unixFamily = 1
/** The flags of clone(2) that create namespaces. */
const namespaceFlags = 0x7e02_0000

const added: readonly OciSyscallRule[] = [
  // Threads and processes, but no namespaces, in which root has rights.
  {
    names: ['clone'],
    action: 'SCMP_ACT_ALLOW',
    args: [{ index: 0, value: namespaceFlags, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' }],
  },
  // Its flags are in memory, which the filter does not see. Libraries use clone instead.
  { names: ['clone3'], action: 'SCMP_ACT_ERRNO', errnoRet: 38 },
  // A guest's packets leave through the tap, and never through a socket of QEMU.
  { names: ['socket'], action: 'SCMP_ACT_ALLOW', args: [{ index: 0, value: unixFamily, op: 'SCMP_CMP_EQ' }] },
]

/** The system calls of a container in which QEMU runs. */
export function vmSeccompProfile(): OciSeccomp {
  const profile = seccompProfile()
  const kept = profile.syscalls
    .map(rule => ({ ...rule, names: rule.names.filter(name => !unneeded.has(name)) }))
    .filter(({ names }) => names.length > 0)
  return { ...profile, syscalls: [...kept, ...added] }
}
