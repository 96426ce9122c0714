import { rename, rm, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Context } from '../../context.ts'
import { printable } from '../printable.ts'
import { writeAll } from '../write-all.ts'
import { type PictureProtocol, pictureProtocolOf } from './protocol.ts'
import { showPicture } from './show-picture.ts'

export interface ScreenshotChoice {
  /** `-` is stdout. */
  readonly out: string | undefined
  readonly format: 'png' | 'webp' | 'jpeg'
  /** How long the screen has to be still, in ms. */
  readonly settle: number | undefined
  readonly inline: PictureProtocol | undefined
}

/** Takes a screenshot, and writes, shows or links it, depending on where it goes. */
export async function takeScreenshot(
  context: Context,
  sandboxId: string,
  { out, format, settle, inline }: ScreenshotChoice,
): Promise<void> {
  const { stdout, output, signal, env, note } = context
  const [{ Sandbox }, client] = await Promise.all([import('@sandglass/client'), context.client()])
  const box = Sandbox.connect(sandboxId, { client })
  const shot = await box.screenshot({
    format,
    signal,
    ...(settle !== undefined && { settle: { quietMs: settle } }),
  })
  if (out !== undefined && out !== '-') {
    await writeWhole(resolve(context.cwd, out), shot.bytes)
    note(`${printable(out)}: ${shot.width}x${shot.height}, ${shot.bytes.length} bytes`)
    return
  }
  const protocol = inline ?? (stdout.isTTY && out === undefined ? pictureProtocolOf(env) : undefined)
  if (protocol && format === 'png') {
    const picture = { png: shot.bytes, width: shot.width }
    await writeAll(stdout, Buffer.from(await showPicture(picture, protocol, stdout.columns ?? 80)))
  } else if (stdout.isTTY && out === undefined) output.line(shot.url)
  else await writeAll(stdout, shot.bytes)
}

async function writeWhole(path: string, bytes: Uint8Array): Promise<void> {
  const partial = `${path}.${process.pid}.part`
  try {
    await writeFile(partial, bytes)
    await rename(partial, path)
  } finally {
    await rm(partial, { force: true })
  }
}
