/** A machine in the cluster of a test, as an operator writes it into the file of shapes. */
export const clusterShape = {
  name: 'cluster',
  description: 'A machine in the cluster.',
  os: 'Linux',
  virtualization: 'Container',
  engine: 'incus',
  image: 'minimal',
  cpus: 1,
  memoryMiB: 512,
  diskMiB: 1024,
  pids: 256,
}
