import { runCommand } from '../engines/local/host/run-command.ts'

/** The Debian package sources that the host's apt configuration names. */
export interface AptSources {
  /** The release, such as `bookworm`. */
  readonly suite: string
  /** Lines for sources.list. */
  readonly lines: readonly string[]
  /** The sources.list line for the backports of the release, on the same mirror. */
  readonly backports: string
}

/** apt takes most of a second to answer, and a start asks several times. */
const cacheMs = 60_000
let known: { readonly untilMs: number; readonly sources: Promise<AptSources> } | undefined

export function hostAptSources(): Promise<AptSources> {
  if (known && performance.now() < known.untilMs) return known.sources
  const sources = askApt()
  known = { untilMs: performance.now() + cacheMs, sources }
  sources.catch(() => {
    known = undefined
  })
  return sources
}

async function askApt(): Promise<AptSources> {
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
