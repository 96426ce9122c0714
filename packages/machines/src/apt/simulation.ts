/** A package that apt would install. */
export interface PlannedPackage {
  readonly name: string
  readonly version: string
  readonly fileName: string
}

const line = /^Inst ([a-z0-9][a-z0-9+.-]+) (?:\[[^\]]*\] )?\(([A-Za-z0-9.+:~-]+) [^()]*\[([a-z0-9]+)\]\)/

/**
 * Parses the packages that `apt-get --simulate install` would install. Accepts only lines that match exactly, because
 * the simulation has read input that a guest wrote.
 */
export function parseSimulation(simulation: string): PlannedPackage[] {
  return simulation.split('\n').flatMap(text => {
    const [, name, version, architecture] = line.exec(text) ?? []
    if (!name || !version || !architecture) return []
    return [{ name, version, fileName: `${name}_${version.replaceAll(':', '%3a')}_${architecture}.deb` }]
  })
}
