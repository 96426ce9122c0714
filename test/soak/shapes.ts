const small = {
  name: 'small',
  description: 'A small desktop.',
  os: 'Linux',
  virtualization: 'Container',
  engine: 'local',
  image: 'minimal',
  cpus: 1,
  memoryMiB: 512,
  diskMiB: 256,
  pids: 256,
}

/** The catalogue: a small machine that boots on demand, one of which there are warm ones, and a real desktop. */
export function shapesOf(desktops: number): readonly object[] {
  const desktop = { ...small, name: 'desktop', image: 'desktop', memoryMiB: 2048, diskMiB: 1024, pids: 1024 }
  return [small, { ...small, name: 'warm', warm: 1 }, ...(desktops > 0 ? [desktop] : [])]
}
