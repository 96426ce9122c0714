/** Where QEMU finds the files of a machine in its container. */
export const seenAt = {
  disk: '/vm/disk',
  kernel: '/vm/kernel',
  initrd: '/vm/initrd',
  memory: '/vm/memory',
  variables: '/vm/variables',
  tpm: '/vm/tpm',
} as const
