import type { Readable } from 'node:stream'
import type { Machine, PackageFile, PackageSource } from '@sandglass/machines/contract'

/** What a caller sees of an installation under way. */
export interface Progress {
  readonly step: 'resolving' | 'fetching' | 'copying' | 'installing'
  readonly [more: string]: unknown
}

export interface Installation {
  readonly machine: Machine
  readonly source: PackageSource
  readonly packages: readonly string[]
  /** Of the machine, for what is copied into it. */
  readonly folder: string
  readonly signal: AbortSignal
  readonly onProgress: (progress: Progress) => void
}

/** The machine could not install what it was given; the message is what its package tools said last. */
export class InstallError extends Error {
  override readonly name = 'InstallError'
}

const statusLimit = 16 * 1024 * 1024

/** Installs packages in a machine that may reach nothing: the host fetches them, the machine's own apt installs them. */
export async function install(o: Installation): Promise<readonly PackageFile[]> {
  const { machine, source, packages, signal, onProgress } = o
  onProgress({ step: 'resolving' })
  const files = await source.fetch({
    packages,
    signal,
    installed: await installedIn(machine, signal),
    onProgress: (fetched, total) => onProgress({ step: 'fetching', fetched, total }),
  })
  try {
    for (const [copied, file] of files.entries()) {
      onProgress({ step: 'copying', copied, total: files.length })
      await machine.files.write(`${o.folder}/${file.fileName}`, file.content(), { user: 'root', signal })
    }
    if (files.length > 0) await runApt(o, files)
  } finally {
    await machine.files.remove(o.folder, { user: 'root' }).catch(() => {})
  }
  return files
}

/** One byte more than its limit is enough for whoever judges its size. */
async function installedIn(machine: Machine, signal: AbortSignal): Promise<Buffer> {
  const options = { user: 'root', length: statusLimit + 1, signal }
  const chunks: Buffer[] = []
  for await (const chunk of await machine.files.read('/var/lib/dpkg/status', options)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const aptOptions = [
  // It knows of no mirror, so it takes what it is given and asks nobody.
  ...['Dir::Etc::sourcelist=/dev/null', 'Dir::Etc::sourceparts=/dev/null'],
  // Another apt may be at work in there.
  ...['DPkg::Lock::Timeout=120', 'Dpkg::Options::=--force-confold', 'Dpkg::Options::=--force-unsafe-io'],
  ...['APT::Install-Recommends=false', 'APT::Status-Fd=1'],
].flatMap(option => ['-o', option])

async function runApt(o: Installation, files: readonly PackageFile[]): Promise<void> {
  const { machine, folder, signal, onProgress } = o
  const paths = files.map(({ fileName }) => `${folder}/${fileName}`)
  const apt = await machine.exec({
    executable: 'apt-get',
    args: [...aptOptions, '--yes', 'install', ...paths],
    user: 'root',
    env: { DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C.UTF-8' },
    whole: true,
    signal,
  })
  apt.stdin.end()
  let complaint = ''
  const [exit] = await Promise.all([
    apt.exited,
    tails(apt.stdout, tail => {
      const percent = [...tail.matchAll(/^pmstatus:[^:\n]*:([\d.]+):/gm)].at(-1)?.[1]
      if (percent !== undefined) onProgress({ step: 'installing', percent: Math.round(Number(percent)) })
    }),
    tails(apt.stderr, tail => {
      complaint = tail
    }),
  ]).finally(() => apt.release())
  signal.throwIfAborted()
  if (exit.code === 0) return
  const said = /^E: .*$/m.exec(complaint)?.[0] ?? complaint.trim().split('\n').at(-1)
  throw new InstallError(
    `apt in the machine ended with ${exit.code}: ${said?.slice(0, 300) || 'it said nothing'}`,
  )
}

/** The end of what was printed so far, after each piece; a guest prints what it likes. */
async function tails(stream: Readable, onTail: (tail: string) => void): Promise<void> {
  let tail = ''
  for await (const chunk of stream) {
    tail = (tail + chunk).slice(-4096)
    onTail(tail)
  }
}
