/**
 * How much of the kernel one machine may use, of what the kernel would otherwise count for all machines together. The
 * names are those in /proc/sys/user. A browser needs a few namespaces of each kind per process of its own sandbox; a
 * network namespace is the most expensive kind for the host.
 */
export const namespaceLimits = {
  max_user_namespaces: 512,
  max_pid_namespaces: 512,
  max_net_namespaces: 128,
  max_mnt_namespaces: 512,
  max_ipc_namespaces: 512,
  max_uts_namespaces: 128,
  max_cgroup_namespaces: 128,
  max_time_namespaces: 128,
  max_inotify_instances: 512,
  max_inotify_watches: 65_536,
} as const

/** The terminals of one machine. */
export const maxTerminals = 256
