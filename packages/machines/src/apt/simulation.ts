/** A package that apt would install. */
export interface Wanted {
  readonly name: string
  readonly version: string
  readonly fileName: string
}

const line = /^Inst ([a-z0-9][a-z0-9+.-]+) (?:\[[^\]]*\] )?\(([A-Za-z0-9.+:~-]+) [^()]*\[([a-z0-9]+)\]\)/

/**
 * What `apt-get --simulate install` says it would install. Only what looks exactly like a package is taken: the
 * simulation has read what a guest wrote.
 */
export function wantedOf(simulation: string): Wanted[] {
  return simulation.split('\n').flatMap(text => {
    const [, name, version, architecture] = line.exec(text) ?? []
    if (!name || !version || !architecture) return []
    return [{ name, version, fileName: `${name}_${version.replaceAll(':', '%3a')}_${architecture}.deb` }]
  })
}
