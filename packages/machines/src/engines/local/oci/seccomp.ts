import type { OciSeccomp, OciSyscallRule } from './oci-types.ts'

/**
 * The system calls that programs on a desktop need. Everything else fails with EPERM: mounting, modules, clocks,
 * keyrings, bpf, perf, io_uring, userfaultfd, joining namespaces. Creating namespaces is allowed, because browsers
 * build their own sandbox from them; what could be done inside (mounts, packet filters) is not. Every such claim is
 * tried by escape.test.ts.
 */
const allowed = `
accept accept4 access alarm arch_prctl bind brk cachestat capget capset chdir chmod chown chown32 chroot
clock_getres clock_getres_time64 clock_gettime clock_gettime64 clock_nanosleep clock_nanosleep_time64 clone clone3
close close_range connect copy_file_range creat dup dup2 dup3 epoll_create epoll_create1 epoll_ctl epoll_ctl_old
epoll_pwait epoll_pwait2 epoll_wait epoll_wait_old eventfd eventfd2 execve execveat exit exit_group faccessat
faccessat2 fadvise64 fadvise64_64 fallocate fchdir fchmod fchmodat fchmodat2 fchown fchown32 fchownat fcntl fcntl64
fdatasync fgetxattr flistxattr flock fork fremovexattr fsetxattr fstat fstat64 fstatat64 fstatfs fstatfs64 fsync
ftruncate ftruncate64 futex futex_requeue futex_time64 futex_wait futex_waitv futex_wake futimesat getcpu getcwd
getdents getdents64 getegid getegid32 geteuid geteuid32 getgid getgid32 getgroups getgroups32 getitimer getpeername
getpgid getpgrp getpid getppid getpriority getrandom getresgid getresgid32 getresuid getresuid32 getrlimit
get_robust_list getrusage getsid getsockname get_thread_area gettid gettimeofday getuid getuid32 getxattr
inotify_add_watch inotify_init inotify_init1 inotify_rm_watch ioctl ioprio_get ioprio_set ipc kill
landlock_add_rule landlock_create_ruleset landlock_restrict_self lchown lchown32 lgetxattr link linkat listen
listxattr llistxattr _llseek lremovexattr lseek lsetxattr lstat lstat64 madvise map_shadow_stack membarrier
memfd_create memfd_secret mincore mkdir mkdirat mknod mknodat mlock mlock2 mlockall mmap mmap2 mprotect mq_getsetattr
mq_notify mq_open mq_timedreceive mq_timedreceive_time64 mq_timedsend mq_timedsend_time64 mq_unlink mremap mseal
msgctl msgget msgrcv msgsnd msync munlock munlockall munmap name_to_handle_at nanosleep newfstatat _newselect open
openat openat2 pause pidfd_getfd pidfd_open pidfd_send_signal pipe pipe2 pkey_alloc pkey_free pkey_mprotect poll ppoll
ppoll_time64 prctl pread64 preadv preadv2 prlimit64 process_madvise process_mrelease process_vm_readv
process_vm_writev pselect6 pselect6_time64 ptrace pwrite64 pwritev pwritev2 read readahead readlink readlinkat readv
recv recvfrom recvmmsg recvmmsg_time64 recvmsg remap_file_pages removexattr rename renameat renameat2
restart_syscall riscv_flush_icache rmdir rseq rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo rt_sigreturn
rt_sigsuspend rt_sigtimedwait rt_sigtimedwait_time64 rt_tgsigqueueinfo sched_getaffinity sched_getattr
sched_getparam sched_get_priority_max sched_get_priority_min sched_getscheduler sched_rr_get_interval
sched_rr_get_interval_time64 sched_setaffinity sched_setattr sched_setparam sched_setscheduler sched_yield seccomp
select semctl semget semop semtimedop semtimedop_time64 send sendfile sendfile64 sendmmsg sendmsg sendto setfsgid
setfsgid32 setfsuid setfsuid32 setgid setgid32 setgroups setgroups32 sethostname setitimer setpgid setpriority setregid
setregid32 setresgid setresgid32 setresuid setresuid32 setreuid setreuid32 setrlimit set_robust_list setsid
set_thread_area set_tid_address setuid setuid32 setxattr shmat shmctl shmdt shmget shutdown sigaltstack
signalfd signalfd4 sigprocmask sigreturn socketcall socketpair splice stat stat64 statfs statfs64 statx symlink
symlinkat sync sync_file_range syncfs sysinfo tee tgkill time timer_create timer_delete timer_getoverrun
timer_gettime timer_gettime64 timer_settime timer_settime64 timerfd_create timerfd_gettime timerfd_gettime64
timerfd_settime timerfd_settime64 times tkill truncate truncate64 ugetrlimit umask uname unlink unlinkat unshare utime
utimensat utimensat_time64 utimes vfork vmsplice wait4 waitid waitpid write writev
`

const only = (index: number, value: number) => ({ index, value, op: 'SCMP_CMP_EQ' }) as const

/** Unix, IPv4 and IPv6. Not AF_PACKET or AF_ALG, nor AF_VSOCK, which reaches the hypervisor of a virtual host. */
const socketFamilies = [1, 2, 10]
const netlink = 16
/** Routes, audit and device events; not NETLINK_NETFILTER, which gives access to the kernel's packet filter. */
const netlinkProtocols = [0, 9, 15]
/** Linux with and without address space randomisation, and the query for the current value. */
const personalities = [0x0, 0x0008, 0x20000, 0x20008, 0x40000, 0xffffffff]

const sockets: OciSyscallRule[] = [
  ...socketFamilies.map(family => [only(0, family)]),
  ...netlinkProtocols.map(protocol => [only(0, netlink), only(2, protocol)]),
].map(args => ({ names: ['socket'], action: 'SCMP_ACT_ALLOW', args }))

/** Sockets themselves, TCP, UDP, ICMPv6, UDP-Lite, raw sockets, netlink and MPTCP. */
const optionLevels = [1, 6, 17, 58, 136, 255, 270, 284]
const ipv4Level = 0
const ipv6Level = 41
/**
 * From this option number on, the IPv4 and IPv6 levels belong to the packet filter: iptables, ip6tables, arptables,
 * ebtables and IPVS. Root in a user namespace that a guest created would be allowed to use them.
 */
const firstFilterOption = 64
/** Options of IPv6 itself among the numbers of the packet filter. */
const laterIpv6Options = [66, 67, 70, 72, 73, 74, 75, 76, 77, 78]

const below = (index: number, value: number) => ({ index, value, op: 'SCMP_CMP_LT' }) as const

/**
 * Only listed levels are allowed. A list of forbidden ones could be bypassed: the filter compares 64 bits, and the
 * kernel ignores the upper 32 of both arguments.
 */
const socketOptions: OciSyscallRule[] = [
  ...optionLevels.map(level => [only(1, level)]),
  ...[ipv4Level, ipv6Level].map(level => [only(1, level), below(2, firstFilterOption)]),
  ...laterIpv6Options.map(option => [only(1, ipv6Level), only(2, option)]),
].map(args => ({ names: ['getsockopt', 'setsockopt'], action: 'SCMP_ACT_ALLOW', args }))

/** System calls that libraries probe fail with ENOSYS instead of EPERM, so that the libraries use their fallback. */
const absent = [
  'io_uring_setup',
  'io_uring_enter',
  'io_uring_register',
  'userfaultfd',
  'bpf',
  'perf_event_open',
]

export function seccompProfile(): OciSeccomp {
  return {
    defaultAction: 'SCMP_ACT_ERRNO',
    defaultErrnoRet: 1,
    // Only the native architecture: programs of another one (32 bits on a 64-bit kernel) are killed at their first
    // call.
    architectures: [process.arch === 'arm64' ? 'SCMP_ARCH_AARCH64' : 'SCMP_ARCH_X86_64'],
    syscalls: [
      { names: allowed.trim().split(/\s+/), action: 'SCMP_ACT_ALLOW' },
      ...sockets,
      ...socketOptions,
      ...personalities.map(
        (value): OciSyscallRule => ({
          names: ['personality'],
          action: 'SCMP_ACT_ALLOW',
          args: [only(0, value)],
        }),
      ),
      { names: absent, action: 'SCMP_ACT_ERRNO', errnoRet: 38 },
    ],
  }
}
