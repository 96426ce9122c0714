import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { AptMirror } from '@sandglass/machines/apt'
import { buildImage, imageFolder } from '@sandglass/machines/images'
import {
  type Check,
  doctor,
  installCommand,
  installMissing,
  LocalEngine,
  type LocalEngineOptions,
  missingPackages,
} from '@sandglass/machines/local'
import type { Engines } from './machines/engines.ts'
import type { Catalogue } from './modules/shapes/catalogue.ts'
import type { Settings } from './settings.ts'

/** Tells a person what goes on, a line at a time. */
export type Tell = (line: string) => void

/** How often a long work says that it goes on. */
const progressEveryMs = 10_000

export function localOptions(settings: Settings, dataDirectory: string): LocalEngineOptions {
  const resolvers = settings.SANDGLASS_RESOLVERS
  return {
    dataDir: join(dataDirectory, 'local'),
    imagesDir: settings.SANDGLASS_IMAGES ?? join(dataDirectory, 'images'),
    runtime: settings.SANDGLASS_RUNTIME,
    uplink: settings.SANDGLASS_UPLINK,
    reserveDiskMiB: settings.SANDGLASS_DISK_RESERVE,
    diskOvercommit: settings.SANDGLASS_DISK_OVERCOMMIT,
    ...(resolvers.length > 0 && { resolvers }),
  }
}

/** The engine of the machines that a data directory has, to remove them; undefined where there never were any. */
export function existingLocalEngine(settings: Settings): LocalEngine | undefined {
  const options = localOptions(settings, settings.SANDGLASS_DATA)
  return existsSync(options.dataDir) ? new LocalEngine(options) : undefined
}

/** The images that the shapes of the local engine are made from. */
export function localImages(shapes: Catalogue): string[] {
  return [
    ...new Set(
      shapes
        .all()
        .filter(({ engine }) => engine === 'local')
        .map(({ image }) => image),
    ),
  ]
}

/** The disk of the first shape of the local engine, by which doctor counts how many desktops fit. */
export function localDiskMiB(shapes: Catalogue): number | undefined {
  return shapes.all().find(({ engine }) => engine === 'local')?.diskMiB
}

/**
 * The engine of this box. What it needs of Debian is installed first, and what doctor finds wrong stops the start;
 * images that are missing are built while the service serves.
 */
export async function openLocalEngines(
  settings: Settings,
  dataDirectory: string,
  shapes: Catalogue,
  tell: Tell,
): Promise<Engines> {
  const options = localOptions(settings, dataDirectory)
  const images = localImages(shapes)
  await installPackages(tell)
  refuse(await doctor(options, images, localDiskMiB(shapes)))
  const engine = new LocalEngine(options)
  const obstacles = new Map<string, string>()
  for (const image of images)
    if (!(await isBuilt(engine.settings.imagesDir, image)))
      obstacles.set(
        image,
        `The image ${image} is about to be built. This takes a few minutes and happens once.`,
      )
  const abort = new AbortController()
  const prepared = prepareImages(engine, shapes, obstacles, tell, abort.signal)
  return {
    get: name => (name === engine.name ? engine : undefined),
    obstacle: (_name, image) => obstacles.get(image),
    packages: new AptMirror(join(dataDirectory, 'packages')),
    prepared,
    close: async () => {
      abort.abort()
      await prepared
      await engine.close()
    },
  }
}

async function installPackages(tell: Tell): Promise<void> {
  const missing = missingPackages()
  if (missing.length === 0) return
  const command = installCommand(missing)
  const isBearable = () => missingPackages().every(({ isOptional }) => isOptional)
  if (process.getuid?.() !== 0) {
    if (isBearable()) return
    throw new Error(`Debian packages are missing. To install them, run: sudo ${command}`)
  }
  tell(`Installing Debian packages: ${missing.map(({ name }) => name).join(', ')}.`)
  await installMissing().catch(cause => {
    if (isBearable()) return
    throw new Error(`Debian packages could not be installed. Run: apt-get update && ${command}`, { cause })
  })
}

function refuse(checks: readonly Check[]): void {
  const failed = checks.filter(({ result }) => result === 'fail')
  if (failed.length === 0) return
  const lines = failed.map(
    ({ name, what, mend }) => `  ${name}: ${what}. Fix: ${mend ?? 'see docs/machines.md'}`,
  )
  throw new Error(
    `This host cannot run machines:\n${lines.join('\n')}\nTo run without machines: SANDGLASS_MACHINES=none npm start`,
  )
}

async function prepareImages(
  engine: LocalEngine,
  shapes: Catalogue,
  obstacles: Map<string, string>,
  tell: Tell,
  signal: AbortSignal,
): Promise<void> {
  for (const image of localImages(shapes)) {
    const diskMiB = shapes.all().find(shape => shape.image === image)?.diskMiB
    try {
      await build(engine.settings.imagesDir, image, obstacles, tell, signal)
      obstacles.delete(image)
      await engine.prepare(image, diskMiB)
      tell(`Machines of the image ${image} are ready.`)
    } catch (error) {
      if (signal.aborted) return
      const problem = error instanceof Error ? error.message : String(error)
      obstacles.set(image, `The image ${image} could not be built: ${problem.split('\n', 1)}`)
      tell(`The image ${image} could not be built: ${problem}`)
    }
  }
}

async function isBuilt(imagesDir: string, image: string): Promise<boolean> {
  return existsSync(join(imagesDir, await imageFolder(image)))
}

async function build(
  imagesDir: string,
  image: string,
  obstacles: Map<string, string>,
  tell: Tell,
  signal: AbortSignal,
): Promise<void> {
  const started = Date.now()
  let last = ''
  const progress = setInterval(() => {
    const seconds = Math.round((Date.now() - started) / 1000)
    obstacles.set(
      image,
      `The image ${image} has been building for ${seconds} s. This takes a few minutes and happens once.`,
    )
    tell(`Building the image ${image}, ${seconds} s: ${last.slice(0, 100)}`)
  }, progressEveryMs)
  try {
    await buildImage(image, {
      imagesDir,
      signal,
      onProgress: line => {
        last = line
      },
    })
  } finally {
    clearInterval(progress)
  }
}
