import { copyFile, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { testImages } from './test-engine.ts'

const templates = 'vm-templates'

/** Images that a test may damage. */
export interface OwnImages {
  readonly imagesDir: string
  readonly templatesDir: string
  dispose(): Promise<void>
}

const isLasting = (name: string) => !/\.(lock|used|part)$/.test(name)

/** Everything in it is that of other tests, without templates: links stand for what is large. */
export async function ownImages(): Promise<OwnImages> {
  const imagesDir = await mkdtemp(join(tmpdir(), 'sandglass-images-'))
  const templatesDir = join(imagesDir, templates)
  for (const name of (await readdir(testImages)).filter(isLasting))
    if (name !== templates) await symlink(join(testImages, name), join(imagesDir, name))
  return { imagesDir, templatesDir, dispose: () => rm(imagesDir, { recursive: true, force: true }) }
}

/** Puts the templates of other tests there, whose files can be replaced. */
export async function linkTemplates({ templatesDir }: OwnImages): Promise<void> {
  await rm(templatesDir, { recursive: true, force: true })
  await mkdir(templatesDir)
  for (const key of (await readdir(join(testImages, templates)).catch(() => [])).filter(isLasting)) {
    const [from, to] = [join(testImages, templates, key), join(templatesDir, key)]
    await mkdir(to)
    for (const name of ['memory', 'disk.raw']) await symlink(join(from, name), join(to, name))
    for (const name of ['state', 'template.json']) await copyFile(join(from, name), join(to, name))
  }
}

/** Makes this process, and those that it starts, believe that another version of QEMU is installed, until it is undone. */
export async function pretendQemu(version: string): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'sandglass-qemu-'))
  const command = join(folder, 'qemu-system-x86_64')
  await writeFile(command, `#!/bin/sh\necho 'QEMU emulator version ${version}'\n`, { mode: 0o755 })
  const { PATH = '' } = process.env
  process.env['PATH'] = `${folder}${delimiter}${PATH}`
  return async () => {
    process.env['PATH'] = PATH
    await rm(folder, { recursive: true, force: true })
  }
}
