const shape = {
  description: 'For effects.',
  os: 'Linux',
  virtualization: 'Container',
  engine: 'local',
  cpus: 2,
  memoryMiB: 2048,
  diskMiB: 2048,
  pids: 2048,
}

/** A desktop and a phone with real programs. */
export const effectShapes = [
  { ...shape, name: 'desktop', image: 'desktop' },
  { ...shape, name: 'phone', image: 'phone', simulatesPhone: true, screen: { width: 720, height: 1280 } },
]
