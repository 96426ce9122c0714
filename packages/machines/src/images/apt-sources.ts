import { runCommand } from '../engines/local/run-command.ts'

/** Where packages come from: what the host's own apt configuration names for Debian, and nothing else. */
export interface AptSources {
  /** The release, such as `bookworm`. */
  readonly suite: string
  /** Lines for sources.list. */
  readonly lines: readonly string[]
  /** The same for the backports of the release, from where the release itself comes. */
  readonly backports: string
}

export async function hostAptSources(): Promise<AptSources> {
  const format = '$(ORIGIN)\t$(REPO_URI)\t$(RELEASE)\t$(COMPONENT)'
  const targets = await runCommand('apt-get', ['indextargets', '--format', format, 'Created-By: Packages'])
  const components = new Map<string, Set<string>>()
  for (const line of targets.split('\n')) {
    const [origin, uri, release, component] = line.split('\t')
    if (origin !== 'Debian' || !uri || !release || !component) continue
    const key = `${uri} ${release}`
    components.set(key, (components.get(key) ?? new Set()).add(component))
  }
  const suite = [...components.keys()].map(key => key.split(' ')[1] ?? '').find(name => /^[a-z]+$/.test(name))
  if (!suite) {
    throw new Error("the host's apt configuration names no Debian release; run apt-get update, or add one")
  }
  const release = [...components].find(([key]) => key.endsWith(` ${suite}`))
  const lines = [...components].map(([key, parts]) => `deb ${key} ${[...parts].join(' ')}`)
  return { suite, lines, backports: `deb ${release?.[0]}-backports main` }
}
