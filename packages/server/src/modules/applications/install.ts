import type { FileInstallTool } from '@sandglass/machines/contract'
import type { RunningMachine } from '@sandglass/workers/contract'
import { type Installation, InstallError } from './installation.ts'
import { runInstallTool } from './run-install-tool.ts'

const installedListLimit = 16 * 1024 * 1024

/** Installs packages with the package tool of the machine's guest, and returns what was installed. */
export async function install(installation: Installation): Promise<readonly string[]> {
  const { machine, packages } = installation
  const tool = machine.guest.packages
  if (!tool) throw new InstallError('Nothing can be installed in this kind of machine.')
  if (tool.installs === 'files') return installFiles(tool, installation)
  await runInstallTool(tool, packages, installation)
  return packages
}

/** The host fetches the packages, so that a machine that may reach nothing can install them too. */
async function installFiles(tool: FileInstallTool, o: Installation): Promise<readonly string[]> {
  const { machine, source, packages, signal, onProgress } = o
  const { paths, administrator } = machine.guest
  const user = administrator === undefined ? {} : { user: administrator }
  const folder = paths.join(tool.folder, o.id)
  onProgress({ step: 'resolving' })
  const files = await source.fetch({
    packages,
    signal,
    installed: await read(machine, tool.installedList, { ...user, signal }),
    onProgress: (fetched, total) => onProgress({ step: 'fetching', fetched, total }),
  })
  try {
    const copies: string[] = []
    for (const file of files) {
      onProgress({ step: 'copying', copied: copies.length, total: files.length })
      const path = paths.join(folder, file.fileName)
      await machine.files.write(path, file.content(), { ...user, signal })
      copies.push(path)
    }
    if (copies.length > 0) await runInstallTool(tool, copies, o)
  } finally {
    await machine.files.remove(folder, user).catch(() => {})
  }
  return files.map(({ name, version }) => `${name} ${version}`)
}

/** Reads one byte more than the limit, so that the package source can tell that a list is too large. */
async function read(
  machine: RunningMachine,
  path: string,
  options: { readonly user?: string; readonly signal: AbortSignal },
): Promise<Buffer> {
  const chunks: Buffer[] = []
  const content = await machine.files.read(path, { ...options, length: installedListLimit + 1 })
  for await (const chunk of content) chunks.push(chunk)
  return Buffer.concat(chunks)
}
