import { spawn } from 'node:child_process'
import { buffer } from 'node:stream/consumers'

/** Decodes an H.264 stream (Annex B) into frames of three bytes per pixel. */
export async function decodeH264(
  units: readonly Uint8Array[],
  size: { width: number; height: number },
): Promise<Buffer[]> {
  const args =
    '-hide_banner -loglevel error -f h264 -i pipe:0 -fps_mode passthrough -pix_fmt rgb24 -f rawvideo pipe:1'
  const decoder = spawn('ffmpeg', args.split(' '), { stdio: ['pipe', 'pipe', 'inherit'] })
  decoder.stdin.end(Buffer.concat(units))
  const pixels = await buffer(decoder.stdout)
  const bytes = 3 * size.width * size.height
  return Array.from({ length: pixels.length / bytes }, (_, at) =>
    pixels.subarray(at * bytes, (at + 1) * bytes),
  )
}
