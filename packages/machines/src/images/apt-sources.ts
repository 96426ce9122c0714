import { readFile } from 'node:fs/promises'
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
  const listed = await debianTargets()
  const components = new Map<string, Set<string>>()
  for (const [uri, release, component] of listed.length > 0 ? listed : await targetsOfThisRelease()) {
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

type Target = readonly [uri: string, release: string, component: string]

/** What comes from Debian, by the lists that apt has downloaded. */
const debianTargets = async (): Promise<Target[]> => targetsIn(await indexTargets('$(ORIGIN)'), 'Debian')

/** Without such lists, as in a container, apt does not know where packages come from. */
async function targetsOfThisRelease(): Promise<Target[]> {
  const system = await readFile('/etc/os-release', 'utf8').catch(() => '')
  const own = /^ID=debian$/m.test(system) && /^VERSION_CODENAME=(\w+)$/m.exec(system)?.[1]
  const wanted = [own, `${own}-updates`, `${own}-security`]
  return targetsIn(await indexTargets('', '--no-release-info'), '').filter(([, release]) =>
    wanted.includes(release),
  )
}

/** Hosts that are containers often keep no cache, and apt then reads all lists for a second. As root, it keeps one where it usually is. */
const withCache = ['-o', 'Dir::Cache::pkgcache=pkgcache.bin']

const indexTargets = (origin: string, ...options: readonly string[]): Promise<string> => {
  const format = `${origin}\t$(REPO_URI)\t$(RELEASE)\t$(COMPONENT)`
  const args = ['indextargets', ...withCache, ...options, '--format', format, 'Created-By: Packages']
  return runCommand('apt-get', args)
}

function targetsIn(text: string, wantedOrigin: string): Target[] {
  const lines = text.split('\n').map(line => line.split('\t'))
  return lines.flatMap(([origin, uri, release, component]) =>
    origin === wantedOrigin && uri && release && component ? [[uri, release, component] as const] : [],
  )
}
