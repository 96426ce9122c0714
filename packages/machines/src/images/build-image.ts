import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { runCommand } from '../engines/local/host/run-command.ts'
import { leaveMounts } from '../engines/local/rootfs/leave-mounts.ts'
import { type AptSources, hostAptSources } from './apt-sources.ts'
import { digestOf, displayScript, hasDisplay, type Recipe, readRecipe } from './recipe.ts'

export interface BuildOptions {
  readonly imagesDir: string
  readonly recipesFolder?: string
  readonly onProgress?: (line: string) => void
  readonly signal?: AbortSignal
}

/** Returns the folder name of the image, relative to the images folder, whether it is built or not. */
export async function imageFolder(
  name: string,
  o: Pick<BuildOptions, 'recipesFolder'> = {},
): Promise<string> {
  const [recipe, { suite }] = await Promise.all([readRecipe(name, o.recipesFolder), hostAptSources()])
  return `${name}-${await digestOf(recipe, suite)}`
}

/** The packages to install and their sources. Backports are added only if a package comes from there. */
function packagesOf(recipe: Recipe, sources: AptSources): { included: string[]; lines: readonly string[] } {
  const every = Object.values(recipe.backports).flat()
  const late = recipe.backports[sources.suite] ?? []
  const plain = [...recipe.packages, ...every.filter(name => !late.includes(name))]
  return {
    included: [...new Set(plain), ...late.map(name => `${name}/${sources.suite}-backports`)],
    lines: late.length > 0 ? [...sources.lines, sources.backports] : sources.lines,
  }
}

/** The namespaces end with the builder, so an aborted build leaves no processes and no mounts behind. */
const isolation = ['--mount', '--pid', '--fork', '--kill-child', '--mount-proc']

/**
 * Builds an image unless it exists, and returns its folder name. Only one builder runs at a time; the kernel releases
 * its lock even if the builder is killed. The image appears under its name only once it is complete.
 */
export async function buildImage(name: string, o: BuildOptions): Promise<string> {
  const [recipe, sources] = await Promise.all([readRecipe(name, o.recipesFolder), hostAptSources()])
  const folder = `${name}-${await digestOf(recipe, sources.suite)}`
  const target = join(o.imagesDir, folder)
  if (existsSync(target)) return folder
  await mkdir(o.imagesDir, { recursive: true, mode: 0o700 })
  const part = `${target}.part`
  const files = join(recipe.folder, 'files')
  const customize = join(recipe.folder, 'customize')
  const { included, lines } = packagesOf(recipe, sources)
  const mmdebstrap = [
    'mmdebstrap',
    '--variant=essential',
    '--mode=root',
    '--skip=output/dev',
    '--skip=check/empty',
    '--aptopt=APT::Install-Recommends "false"',
    '--aptopt=Acquire::Languages "none"',
    '--dpkgopt=force-unsafe-io',
    ...recipe.exclude.map(path => `--dpkgopt=path-exclude=${path}`),
    `--include=${['apt', 'ca-certificates', ...included].join(',')}`,
    ...(existsSync(files) ? [`--customize-hook=sync-in "${files}" /`] : []),
    ...(existsSync(customize) ? [`--customize-hook=chroot "$1" sh -s < "${customize}"`] : []),
    ...(hasDisplay(recipe) ? [`--customize-hook=chroot "$1" python3 - < "${displayScript}"`] : []),
    '--customize-hook=rm -f "$1/etc/resolv.conf" "$1/etc/hostname" "$1/etc/machine-id"',
    sources.suite,
    part,
    ...lines,
  ]
  // The check runs under the lock, so that a builder which waited finds the finished image.
  const script =
    'target=$0 part=$1; shift; [ -d "$target" ] && exit; rm -rf --one-file-system "$part"; "$@" && mv "$part" "$target"'
  const locked = ['flock', `${target}.lock`, 'sh', '-c', script, target, part, ...mmdebstrap]
  await runCommand('unshare', [...isolation, ...leaveMounts, ...locked], {
    env: { ...process.env, LC_ALL: 'C.UTF-8', DEBIAN_FRONTEND: 'noninteractive' },
    ...(o.signal && { signal: o.signal }),
    onLine: line => o.onProgress?.(line),
  })
  return folder
}
